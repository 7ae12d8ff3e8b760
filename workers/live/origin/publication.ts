import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { isKey, type SegmentSamples } from '../../media/samples.ts'
import type { ChannelOptions, LiveState } from './channel.ts'
import { Ladder } from './ladder.ts'
import type { ListedRun, Listing } from './listing.ts'
import { runPackager } from './packager.ts'
import { type CutPart, PartCutter } from './part-cutter.ts'
import { PublicationStats } from './publication-stats.ts'
import { Rebaser } from './rebase.ts'
import { renditionsOf } from './renditions.ts'
import type { Slate } from './slate.ts'
import { segmentSeconds, targetDuration } from './timeline.ts'
import { leadingOf, type Track, type TrackKind } from './tracks.ts'

/** What a publication is packaged with. */
export interface PublicationTools {
  listing: Listing
  /** What is shown while nothing comes, if anything is. */
  slate: Slate | undefined
  ffmpeg: string
  partMs: number
  /** The number of the next run of the channel. */
  nextRun(): number
}

/** Milliseconds without a part after which nobody can be said to watch it live. */
const silence = 1000 * targetDuration

/** Milliseconds without a part after which viewers are shown the slate: they have half a second or so in hand. */
const slateAfter = 1_200

/** Ladders that may be closing when another one begins to make renditions. */
const mostClosing = 1

/** Runs in a row that gave nothing, after which the input is taken for ended. */
const mostFailures = 8

/** One publisher's time on a channel: runs the packager, anew when it dies, and lists what it hands out. */
export class Publication {
  readonly stats = new PublicationStats()
  readonly #options: ChannelOptions
  readonly #tools: PublicationTools
  readonly #stopped = new AbortController()
  /** Settles when no part of it will come any more. */
  readonly done: Promise<void>
  #quiet: NodeJS.Timeout | undefined
  #away: NodeJS.Timeout | undefined
  /** Renditions whose rest is being made. */
  readonly #closing = new Set<Promise<void>>()
  #had: readonly TrackKind[] = []

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
    for (let failures = 0; !this.#stopped.signal.aborted; ) {
      this.#setState('connecting', failures === 0 ? 'the input is being opened' : 'the input gave nothing')
      const { parts, isOver } = await this.#run()
      failures = parts > 0 ? 0 : failures + 1
      why = isOver ? 'the input is over' : 'the input cannot be read'
      if (isOver || failures >= mostFailures) break
      const wait = failures === 0 ? 50 : Math.min(2000, 100 * 2 ** failures)
      await pause(wait, undefined, { signal: this.#stopped.signal }).catch(() => {})
    }
    clearTimeout(this.#quiet)
    clearTimeout(this.#away)
    await Promise.all(this.#closing)
    this.#setState('ended', this.#stopped.signal.aborted ? 'stopped' : why)
  }

  /** One run of the packager; `isOver` when it found the end of its input. */
  async #run(): Promise<{ parts: number; isOver: boolean }> {
    const { input, inputOptions = [], channelId } = this.#options
    const packaged: { parts: number; end(): void } = { parts: 0, end() {} }
    const wanted = await this.#wanted()
    const awaitsBoth = wanted.length > 1
    let rebaser: Rebaser | undefined
    let isOver = false
    try {
      const exit = await runPackager({
        ffmpeg: this.#tools.ffmpeg,
        input,
        inputOptions,
        awaitsBoth,
        signal: this.#stopped.signal,
        onInit: async (init, tracks) => {
          await this.#refuseLacking(tracks, awaitsBoth)
          rebaser = this.#package(init, tracks, packaged)
        },
        onSamples: (samples) => rebaser?.take(samples),
      })
      isOver = exit.code === 0
    } catch (error) {
      if (!this.#stopped.signal.aborted) log.error({ err: describe(error), channel: channelId }, 'live packager failed')
    }
    try {
      packaged.end()
    } catch (error) {
      log.error({ err: describe(error), channel: channelId }, 'the last part of a live run is lost')
    }
    return { parts: packaged.parts, isOver: isOver && packaged.parts > 0 }
  }

  /** What a run should find: what the publisher sends or, where nobody knows, what was packaged before. */
  async #wanted(): Promise<readonly TrackKind[]> {
    return (await this.#options.sends?.()) ?? this.#had
  }

  /** Throws for a run without a track that it should have; only sound that did not come in all the time it had is done without. */
  async #refuseLacking(tracks: Track[], awaitedBoth: boolean): Promise<void> {
    const found = tracks.map(({ kind }) => kind)
    const lacks = (await this.#wanted()).filter((kind) => !found.includes(kind))
    if (lacks.includes('video') || (lacks.length > 0 && !awaitedBoth))
      throw new Error(`The packager found no ${lacks.join(' and no ')}.`)
    this.#had = found
  }

  /** Packages what is rebased, every discontinuity of it as a run of its own. */
  #package(init: Buffer, tracks: Track[], packaged: { parts: number; end(): void }): Rebaser {
    let run = this.#begin(init, tracks)
    packaged.end = () => {
      run.cutter.end()
      this.#close(run)
      packaged.parts += run.parts
    }
    return new Rebaser(tracks, leadingOf(tracks), {
      samples: (samples) => {
        this.#feed(run, samples)
        run.cutter.add(samples)
      },
      discontinuity: () => {
        log.info({ channel: this.#options.channelId }, 'the clock of a live publisher leapt')
        packaged.end()
        run = this.#begin(init, tracks)
      },
    })
  }

  #begin(data: Buffer, tracks: Track[]): Run {
    const { listing, slate, partMs, ffmpeg } = this.#tools
    const { timeline } = listing
    // Times begin anew with every run; a slate goes on until the first of it is listed, and ends with a discontinuity itself.
    const init = timeline.init(data, !slate?.isOn)
    const video = tracks.find(({ kind }) => kind === 'video')
    const lower = renditionsOf(
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
    // A viewer's first frame must need no other.
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

interface Run extends ListedRun {
  number: number
  cutter: PartCutter
  ladder: Ladder | undefined
  parts: number
  /** Whether viewers are shown what arrives. */
  listing: boolean
}
