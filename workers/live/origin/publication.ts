import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import type { ChannelOptions, LiveState } from './channel.ts'
import { runPackager } from './packager.ts'
import { type CutPart, PartCutter } from './part-cutter.ts'
import { PublicationStats } from './publication-stats.ts'
import { Rebaser } from './rebase.ts'
import type { SegmentFolder } from './segment-folder.ts'
import { type Init, segmentSeconds, type Timeline, targetDuration } from './timeline.ts'
import { leadingOf, type Track, type TrackKind } from './tracks.ts'

/** What a publication is packaged with. */
export interface PublicationTools {
  timeline: Timeline
  folder: SegmentFolder
  ffmpeg: string
  partMs: number
  /** The number of the next run of the channel. */
  nextRun(): number
}

/** Milliseconds without a part after which nobody can be said to watch it live. */
const silence = 1000 * targetDuration

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
      if (!this.#stopped.signal.aborted) log.error({ error, channel: channelId }, 'live packager failed')
    }
    try {
      packaged.end()
    } catch (error) {
      log.error({ error, channel: channelId }, 'the last part of a live run is lost')
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
      packaged.parts += run.parts
    }
    return new Rebaser(tracks, leadingOf(tracks), {
      samples: (samples) => run.cutter.add(samples),
      discontinuity: () => {
        log.info({ channel: this.#options.channelId }, 'the clock of a live publisher leapt')
        packaged.end()
        run = this.#begin(init, tracks)
      },
    })
  }

  #begin(data: Buffer, tracks: Track[]): Run {
    const { timeline, partMs } = this.#tools
    // Times begin anew with every run.
    const init = timeline.init(data, true)
    this.stats.begin(tracks)
    const rules = { part: partMs / 1000, segment: segmentSeconds }
    const run: Run = {
      number: this.#tools.nextRun(),
      init,
      parts: 0,
      listing: false,
      beganAt: 0,
      cutter: new PartCutter(tracks, rules, (part, ends) => this.#add(run, part, ends), timeline.partTarget),
    }
    return run
  }

  #add(run: Run, part: CutPart, endsSegment: boolean): void {
    const at = Date.now()
    const { data, time, duration, frames, independent } = part
    this.stats.add(part, at)
    if (run.parts === 0) run.beganAt = at - 1000 * (time + duration)
    const sequence = run.parts++
    const { data: init } = run.init
    this.#options.onPart?.({ run: run.number, sequence, init, data, time, duration, frames, independent, at })
    // A viewer's first frame must need no other.
    run.listing ||= part.hasKey
    if (run.listing) this.#list(run, part, endsSegment)
  }

  #list(run: Run, part: CutPart, endsSegment: boolean): void {
    const { timeline } = this.#tools
    timeline.partTarget ||= run.cutter.target
    const programTime = run.beganAt + 1000 * part.time
    timeline.addPart(run.init, part, programTime)
    if (timeline.last) {
      const { msn: segment, parts } = timeline.last
      this.stats.lastPart = { segment, part: parts.length - 1, duration: part.duration, at: Date.now() }
    }
    if (endsSegment) this.#endSegment()
    if (part.lost > 0) timeline.addGap(run.init, part.lost, programTime + 1000 * part.duration)
    this.#changed()
    if (timeline.watchable) this.#setState('live', 'the playlist can be played')
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#setState('connecting', 'nothing arrives'), silence)
  }

  #endSegment(): void {
    const segment = this.#tools.timeline.endSegment()
    if (!segment) return
    const parts = segment.parts.flatMap(({ data }) => data ?? [])
    void this.#tools.folder.keep(segment.name, parts)
  }

  #changed(): void {
    const gone = this.#tools.timeline.changed()
    if (gone.length > 0) void this.#tools.folder.forget(gone.map(({ name }) => name)).catch(() => {})
  }

  #setState(state: LiveState, why: string): void {
    if (this.stats.state === state && state !== 'connecting') return
    this.stats.state = state
    this.#options.onState?.(state, why)
  }
}

interface Run {
  number: number
  init: Init
  cutter: PartCutter
  parts: number
  /** Whether viewers are shown what arrives. */
  listing: boolean
  /** When its time 0 was, in milliseconds since 1970. */
  beganAt: number
}
