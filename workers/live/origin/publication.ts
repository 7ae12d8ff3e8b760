import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { isKey, type SegmentSamples } from '../../media/package/samples.ts'
import { playTags } from '../rtmp/player.ts'
import { TagSegments } from '../rtmp/segments.ts'
import type { ChannelOptions, LiveState } from './channel.ts'
import { Ladder } from './ladder.ts'
import type { ListedRun, Listing } from './listing.ts'
import { runPackager } from './packager.ts'
import { type CutPart, PartCutter } from './part-cutter.ts'
import { PublicationStats } from './publication-stats.ts'
import { Rebaser } from './rebase.ts'
import { selectRenditions } from './renditions.ts'
import type { Slate } from './slate.ts'
import { Taps } from './taps.ts'
import { segmentSeconds, targetDuration } from './timeline.ts'
import { getLeadingTrack, type Track } from './tracks.ts'

export interface PublicationTools {
  listing: Listing
  slate: Slate | undefined
  ffmpeg: string
  partMs: number
  nextRun(): number
}

/** Time without a part in milliseconds after which the channel is not live. */
const silence = 1000 * targetDuration

/** Time without a part in milliseconds after which the slate is shown. Viewers have about half a second buffered. */
const slateAfter = 1_200

const mostClosing = 1

/** Number of consecutive runs without data after which the input counts as ended. */
const mostFailures = 8

export class Publication {
  readonly stats = new PublicationStats()
  readonly taps = new Taps()
  readonly #options: ChannelOptions
  readonly #tools: PublicationTools
  readonly #stopped = new AbortController()
  readonly done: Promise<void>
  #quiet: NodeJS.Timeout | undefined
  #away: NodeJS.Timeout | undefined
  readonly #closing = new Set<Promise<void>>()
  #played: TagSegments | undefined
  #unplay = new AbortController()
  #isFed = false

  constructor(options: ChannelOptions, tools: PublicationTools) {
    this.#options = options
    this.#tools = tools
    this.done = this.#runAll()
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error('The publication is stopped.'))
    await this.done
  }

  async #runAll(): Promise<void> {
    let why = 'stopped'
    this.#setState('connecting', 'the input is being opened')
    for (let failures = 0; !this.#stopped.signal.aborted; ) {
      const { parts, isOver, isWhole } = await this.#run()
      failures = parts > 0 ? 0 : failures + 1
      why = isOver ? 'the input has ended' : 'the input cannot be read'
      if (isOver || failures >= mostFailures) break
      if (!(isWhole && parts > 0)) await this.#rest(failures)
    }
    clearTimeout(this.#quiet)
    clearTimeout(this.#away)
    this.#unplay.abort()
    await Promise.all(this.#closing)
    this.#setState('ended', this.#stopped.signal.aborted ? 'stopped' : why)
  }

  async #rest(failures: number): Promise<void> {
    this.#setState('connecting', failures === 0 ? 'the packager died' : 'the input gave nothing')
    const wait = failures === 0 ? 50 : Math.min(2000, 100 * 2 ** failures)
    await pause(wait, undefined, { signal: this.#stopped.signal }).catch(() => {})
  }

  /** Runs the packager once. `isOver`: the input has ended. `isWhole`: the packager processed the complete input. */
  async #run(): Promise<RunResult> {
    const { input, channelId } = this.#options
    const left = new AbortController()
    try {
      if (!input.startsWith('rtmp:')) return await this.#packaged(undefined)
      const feed = this.#open(input)
      const bytes = await feed.next(AbortSignal.any([left.signal, this.#stopped.signal]))
      this.stats.foreign = feed.foreign
      if (bytes) return { ...(await this.#packaged(bytes)), isOver: false }
      this.#forget()
      return { parts: 0, isOver: feed.isOver && this.#isFed, isWhole: false }
    } catch (error) {
      if (!this.#stopped.signal.aborted) log.error({ err: describe(error), channel: channelId }, 'live packager failed')
      this.#forget()
      return { parts: 0, isOver: false, isWhole: false }
    } finally {
      left.abort()
    }
  }

  #forget(): void {
    this.#unplay.abort()
    this.#played = undefined
  }

  #open(input: string): TagSegments {
    if (this.#played) return this.#played
    this.#isFed = false
    this.#unplay = new AbortController()
    this.#played = new TagSegments(playTags(input, AbortSignal.any([this.#stopped.signal, this.#unplay.signal])))
    return this.#played
  }

  async #packaged(feed: AsyncGenerator<Buffer> | undefined): Promise<RunResult> {
    const { input, inputOptions = [], channelId } = this.#options
    const packaged: { parts: number; end(): void } = { parts: 0, end() {} }
    let rebaser: Rebaser | undefined
    let isWhole = false
    try {
      const exit = await runPackager({
        ffmpeg: this.#tools.ffmpeg,
        input: feed ? nameIn(input) : input,
        inputOptions,
        feed,
        signal: this.#stopped.signal,
        onInit: (init, tracks) => {
          rebaser = this.#package(init, tracks, packaged)
          this.taps.begin(init, tracks)
        },
        onSamples: (samples) => rebaser?.take(samples),
        onFragment: (fragment) => this.taps.write(fragment),
      })
      isWhole = exit.code === 0
    } catch (error) {
      if (!this.#stopped.signal.aborted) log.error({ err: describe(error), channel: channelId }, 'live packager failed')
    }
    this.taps.end()
    try {
      packaged.end()
    } catch (error) {
      log.error({ err: describe(error), channel: channelId }, 'the last part of a live run was lost')
    }
    const { parts } = packaged
    this.#isFed ||= parts > 0
    return { parts, isOver: isWhole && parts > 0, isWhole }
  }

  /** Packages rebased samples. Each discontinuity starts a new run. */
  #package(init: Buffer, tracks: Track[], packaged: { parts: number; end(): void }): Rebaser {
    let run = this.#begin(init, tracks)
    packaged.end = () => {
      run.cutter.end()
      this.#close(run)
      packaged.parts += run.parts
    }
    return new Rebaser(tracks, getLeadingTrack(tracks), {
      samples: (samples) => {
        this.#feed(run, samples)
        run.cutter.add(samples)
      },
      discontinuity: () => {
        log.info({ channel: this.#options.channelId }, 'the clock of a live publisher jumped')
        packaged.end()
        this.taps.begin(init, tracks)
        run = this.#begin(init, tracks)
      },
    })
  }

  #begin(data: Buffer, tracks: Track[]): Run {
    const { listing, slate, partMs, ffmpeg } = this.#tools
    const { timeline } = listing
    // Times restart with every run. A slate continues until the first part of the run is listed. The slate then adds
    // the discontinuity.
    const init = timeline.init(data, !slate?.isOn)
    const video = tracks.find(({ kind }) => kind === 'video')
    const lower = selectRenditions(
      listing.renditions.map(({ height }) => height),
      video,
    )
    const hasRoom = this.#options.takeRoom?.(lower.map(({ height }) => height)) ?? true
    const renditions = hasRoom ? lower : []
    const onChange = () => {
      for (const rendition of listing.renditions) rendition.advance()
    }
    const { channelId } = this.#options
    const mayStart = () => this.#closing.size <= mostClosing
    const ladder =
      video && renditions.length > 0
        ? new Ladder({ ffmpeg, channelId, init: data, video, renditions, mayStart, onChange })
        : undefined
    this.stats.begin(tracks, renditions, () => (hasRoom ? ladder?.state : 'unavailable'))
    slate?.prepare(tracks, renditions)
    const rules = { part: partMs / 1000, segment: segmentSeconds }
    const run: Run = {
      ...{ number: this.#tools.nextRun(), init, video, ladder, parts: 0, listing: false, beganAt: 0, shift: 0 },
      pictures: ladder?.pictures ?? new Map(),
      cutter: new PartCutter(tracks, rules, (part, ends) => this.#add(run, part, ends), timeline.partTarget),
    }
    return run
  }

  #feed(run: Run, samples: SegmentSamples): void {
    const { video, ladder } = run
    if (!video || !ladder || samples.track !== video.id) return
    const key = samples.samples.find(isKey)
    if (key) run.shift = key.composition / video.timescale
    ladder.feed(samples)
  }

  #close({ ladder }: Run): void {
    const closed = ladder?.close()
    if (!closed) return
    this.#closing.add(closed)
    void closed.finally(() => this.#closing.delete(closed))
  }

  #add(run: Run, part: CutPart, endsSegment: boolean): void {
    const at = Date.now()
    const { data, time, duration, frames, independent } = part
    this.stats.add(part, at)
    if (run.parts === 0) run.beganAt = at - 1000 * (time + duration)
    const sequence = run.parts++
    const { data: init } = run.init
    this.#options.onPart?.({ run: run.number, sequence, init, data, time, duration, frames, independent, at })
    const { slate } = this.#tools
    // The first frame for a viewer must be a key frame.
    run.listing = (run.listing && !slate?.isOn) || part.hasKey
    if (run.listing) this.#list(run, part, endsSegment)
  }

  #list(run: Run, part: CutPart, endsSegment: boolean): void {
    const { listing, slate } = this.#tools
    const { timeline } = listing
    slate?.end()
    listing.add(part, endsSegment, run.cutter.target, run)
    if (timeline.last) {
      const { msn: segment, parts } = timeline.last
      this.stats.lastPart = { segment, part: parts.length - 1, duration: part.duration, at: Date.now() }
    }
    if (timeline.watchable) this.#setState('live', 'the playlist can be played')
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#setState('connecting', 'nothing arrives'), silence)
    clearTimeout(this.#away)
    this.#away = slate && setTimeout(() => slate.begin(), slateAfter)
  }

  #setState(state: LiveState, why: string): void {
    if (this.stats.state === state && state !== 'connecting') return
    this.stats.state = state
    this.#options.onState?.(state, why)
  }
}

interface RunResult {
  parts: number
  isOver: boolean
  isWhole: boolean
}

const nameIn = (input: string): string => new URL(input).pathname.split('/').at(-1) ?? ''

interface Run extends ListedRun {
  number: number
  cutter: PartCutter
  ladder: Ladder | undefined
  parts: number
  listing: boolean
}
