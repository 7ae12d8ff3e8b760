import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Sample } from '../../media/package/samples.ts'
import type { Listing } from './listing.ts'
import { PartCutter } from './part-cutter.ts'
import type { FrameSource, VideoFrame } from './pictures.ts'
import { videoTimescale } from './rebase.ts'
import type { RenditionFacts } from './renditions.ts'
import { type SlateClip, type SlateClips, slateRate } from './slate-clips.ts'
import { segmentSeconds } from './timeline.ts'
import type { Track } from './tracks.ts'

const stepMs = 100

const pictureTicks = videoTimescale / slateRate

interface Clips {
  source: SlateClip
  renditions: ReadonlyMap<number, SlateClip>
}

/** Slate of a channel while its publisher sends nothing. Nothing is encoded: the same frames are listed repeatedly. */
export class Slate {
  readonly #listing: Listing
  readonly #clips: SlateClips
  readonly #partSeconds: number
  #ready: Clips | undefined
  #shown: { end(): void } | undefined
  /** Number of preparations. Results of an earlier preparation can have another size. */
  #times = 0
  #isWanted = false

  constructor(listing: Listing, clips: SlateClips, partMs: number) {
    this.#listing = listing
    this.#clips = clips
    this.#partSeconds = partMs / 1000
  }

  get isOn(): boolean {
    return this.#shown !== undefined
  }

  /** Creates the slate for a broadcast with these tracks and its renditions. A broadcast without video has no slate. */
  prepare(tracks: readonly Track[], lower: readonly RenditionFacts[]): void {
    const video = tracks.find(({ kind }) => kind === 'video')
    const audio = tracks.find(({ kind }) => kind === 'audio')
    this.#ready = undefined
    const times = ++this.#times
    if (!video) return
    const sound = { sampleRate: audio?.sampleRate ?? null, channels: audio?.channels ?? 0 }
    const of = ({ width, height }: { width: number; height: number }) => this.#clips.of({ width, height, ...sound })
    void Promise.all([of(video), ...lower.map(of)]).then(([source, ...others]) => {
      const made = others.flatMap((clip, i) => (clip && lower[i] ? [[lower[i].height, clip] as const] : []))
      if (times !== this.#times || !source || made.length < lower.length) return
      this.#ready = { source, renditions: new Map(made) }
      if (this.#isWanted) this.begin()
    })
  }

  /**
   * Shows the slate from the point at which the broadcast stopped, as soon as the slate exists. Does nothing if the
   * broadcast cannot be watched.
   */
  begin(): void {
    this.#isWanted = true
    const { timeline } = this.#listing
    if (this.#shown || !this.#ready || !timeline.watchable || timeline.ended || !timeline.last) return
    const { programTime, duration } = timeline.last
    this.#shown = this.#show(this.#ready, programTime + 1000 * duration)
  }

  end(): void {
    this.#isWanted = false
    this.#shown?.end()
    this.#shown = undefined
  }

  #show({ source, renditions }: Clips, beganAt: number): { end(): void } {
    const { timeline } = this.#listing
    this.#listing.break()
    const run = {
      ...{ init: timeline.init(source.init, false), beganAt, shift: 0 },
      video: source.tracks.find(({ kind }) => kind === 'video'),
      pictures: new Map([...renditions].map(([height, clip]) => [height, new StillPictures(clip)])),
    }
    const rules = { part: this.#partSeconds, segment: segmentSeconds }
    const { partTarget } = timeline
    const cutter = new PartCutter(
      source.tracks,
      rules,
      (part, ends) => this.#listing.add(part, ends, partTarget, run),
      partTarget,
    )
    // If the broadcast stopped some time ago, lists this period immediately, so that viewers keep their delay.
    const began = performance.now() - Math.min(Math.max(0, Date.now() - beganAt), mostMadeUp)
    const player = playerOf(source, cutter)
    const timer = setInterval(() => {
      try {
        player.until((performance.now() - began) / 1000)
      } catch (error) {
        clearInterval(timer)
        log.error({ err: describe(error) }, 'a slate could not be shown')
      }
    }, stepMs)
    return {
      end: () => {
        clearInterval(timer)
        cutter.end()
        this.#listing.break()
      },
    }
  }
}

const mostMadeUp = 2_000

function playerOf({ tracks, pictures, silence }: SlateClip, cutter: PartCutter): { until(time: number): void } {
  const video = tracks.find(({ kind }) => kind === 'video')
  const audio = tracks.find(({ kind }) => kind === 'audio')
  let [shown, heard] = [0, 0]
  const put = (track: Track, time: number, sample: Sample) =>
    cutter.add({ track: track.id, time, samples: [{ ...sample }] })
  return {
    until(time) {
      for (; video && shown / slateRate < time; shown++) {
        const picture = pictures[shown % pictures.length]
        if (picture) put(video, shown * pictureTicks, { ...picture, duration: pictureTicks })
        for (; audio && silence && heard / audio.timescale < (shown + 1) / slateRate; heard += silence.duration)
          put(audio, heard, silence)
      }
    },
  }
}

class StillPictures implements FrameSource {
  readonly init: Buffer
  readonly #pictures: readonly Sample[]
  #next = 0

  constructor({ init, pictures }: SlateClip) {
    this.init = init
    this.#pictures = pictures
  }

  until(): 'there' {
    return 'there'
  }

  take(end: number): VideoFrame[] {
    const taken: VideoFrame[] = []
    for (; this.#next * pictureTicks < end; this.#next++) {
      const sample = this.#pictures[this.#next % this.#pictures.length]
      if (sample) taken.push({ time: this.#next * pictureTicks, sample })
    }
    return taken
  }
}
