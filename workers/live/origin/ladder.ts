import { PassThrough } from 'node:stream'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { writeFragment } from '../../media/package/fragment.ts'
import { isKey, type Sample, type SegmentSamples } from '../../media/package/samples.ts'
import { replaceTrack, selectTracks } from './init-segments.ts'
import { RenditionFrames } from './pictures.ts'
import type { RenditionFacts } from './renditions.ts'
import type { Track } from './tracks.ts'
import { runTranscoder } from './transcoder.ts'

/**
 * Delays in milliseconds before a transcoder is restarted: after it first ended, after it was first too slow, and the
 * maximum.
 */
const [soonest, whenSlow, latest] = [500, 4_000, 30_000]

/** Time in milliseconds after which a running transcoder counts as stable. Its next failure counts as the first one. */
const steadyMs = 60_000

/** Maximum backlog of a transcoder: size of waiting data in bytes, and delay in seconds. */
const [mostWaiting, farthestBehind] = [16 * 2 ** 20, 5]

const restMs = 3_000

/**
 * Maximum frame rate for which the cores of a rendition are sufficient, and duration in seconds over which the rate is
 * measured.
 */
const [mostRate, judgedSeconds] = [61, 2]

const slow = new Error('The transcoder is too far behind.')
const tooFast = new Error('The source has too many frames per second.')

export interface LadderOptions {
  ffmpeg: string
  channelId: string
  /** `ftyp` and `moov` of the source. */
  init: Buffer
  video: Track
  renditions: readonly RenditionFacts[]
  /**
   * True if a transcoder may be started. Each clock jump of the source starts another ladder while the previous ladders
   * finish.
   */
  mayStart(): boolean
  onChange(): void
}

/**
 * Renditions of one run of the packager. A separate transcoder creates them, so that its failure does not affect the
 * source.
 */
export class Ladder {
  readonly pictures: ReadonlyMap<number, RenditionFrames>
  readonly #options: LadderOptions
  readonly #ended = new AbortController()
  #attempt: { feed: PassThrough; stop(why: Error): void; done: Promise<void> } | undefined
  #sequence = 1
  #failures = 0
  #notBefore = 0
  #begunAt = 0
  /** Number of frames since a time of the source. The time is in ticks. */
  #counted: { from: number; pictures: number } | undefined
  #isTooFast = false

  constructor(options: LadderOptions) {
    this.#options = options
    this.pictures = new Map(options.renditions.map(({ height }) => [height, new RenditionFrames()]))
  }

  /** `unavailable` while the frame rate of the source is too high. */
  get state(): 'on' | 'failed' | 'unavailable' {
    if (this.#isTooFast) return 'unavailable'
    return this.#failures === 0 || this.#attempt !== undefined ? 'on' : 'failed'
  }

  feed({ track, time, samples }: SegmentSamples): void {
    if (track !== this.#options.video.id || this.#ended.signal.aborted) return
    let at = time
    for (const sample of samples) {
      this.#count(at)
      if (!this.#isTooFast) this.#feed(at, sample)
      at += sample.duration
    }
  }

  /** Called after the last frame. Resolves when the remaining parts have been created or given up. */
  async close(): Promise<void> {
    this.#ended.abort()
    const attempt = this.#attempt
    if (!attempt) return
    attempt.feed.end()
    const timer = setTimeout(
      () => attempt.stop(new Error('The remaining rendition data was not created in time.')),
      restMs,
    )
    await attempt.done
    clearTimeout(timer)
  }

  #count(time: number): void {
    const { timescale } = this.#options.video
    this.#counted ??= { from: time, pictures: 0 }
    const seconds = (time - this.#counted.from) / timescale
    if (seconds >= judgedSeconds) {
      this.#isTooFast = this.#counted.pictures > mostRate * seconds
      this.#counted = { from: time, pictures: 0 }
      if (this.#isTooFast) this.#attempt?.stop(tooFast)
    }
    this.#counted.pictures++
  }

  #feed(time: number, sample: Sample): void {
    if (!this.#attempt) {
      if (!isKey(sample) || Date.now() < this.#notBefore || !this.#options.mayStart()) return
      this.#start(time + sample.composition)
    }
    const { feed, stop } = this.#attempt ?? {}
    const { id: track, timescale } = this.#options.video
    feed?.write(writeFragment(this.#sequence++, [{ track, time, samples: [sample] }]))
    const reached = Math.min(...[...this.pictures.values()].map((one) => one.reached))
    const isBehind = time - reached > farthestBehind * timescale || (feed?.readableLength ?? 0) > mostWaiting
    if (isBehind) stop?.(slow)
  }

  #start(from: number): void {
    const { ffmpeg, init, video, renditions, onChange } = this.#options
    this.#begunAt = Date.now()
    const feed = new PassThrough({ highWaterMark: mostWaiting })
    const stopped = new AbortController()
    feed.write(selectTracks(init, [video.id]))
    for (const pictures of this.pictures.values()) pictures.begin(from)
    let byTrack = new Map<number, RenditionFrames>()
    const done = runTranscoder({
      ffmpeg,
      renditions,
      signal: stopped.signal,
      onInput: (pipe) => feed.pipe(pipe),
      onInit: (made, tracks) => {
        const all = [...this.pictures.values()]
        byTrack = new Map(all.flatMap((pictures, i) => (tracks[i] ? [[tracks[i].id, pictures]] : [])))
        for (const [id, pictures] of byTrack) pictures.init = replaceTrack(init, video.id, { init: made, id })
      },
      onSamples: (samples) => {
        byTrack.get(samples.track)?.add(samples)
        onChange()
      },
    }).then(
      () => this.#over(this.#ended.signal.aborted ? undefined : new Error('The transcoder stopped unexpectedly.')),
      (error: Error) => this.#over(error),
    )
    this.#attempt = { feed, done, stop: (why) => stopped.abort(why) }
  }

  #over(error: Error | undefined): void {
    this.#attempt = undefined
    for (const pictures of this.pictures.values()) pictures.end(error === undefined)
    if (error && !this.#ended.signal.aborted) {
      if (Date.now() - this.#begunAt > steadyMs) this.#failures = 0
      const wait = Math.min((error === slow ? whenSlow : soonest) * 2 ** this.#failures, latest)
      this.#failures++
      this.#notBefore = Date.now() + wait
      log.error({ err: describe(error), channel: this.#options.channelId, again_in_ms: wait }, 'live renditions failed')
    }
    this.#options.onChange()
  }
}
