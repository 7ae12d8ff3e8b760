import type { Channel } from '#sql/live/channels.ts'
import type { Facts } from '#sql/live/sessions.ts'
import type { Absence, Source } from '#tasks/live/engine.ts'
import { outranks, selectBestSource } from '#tasks/live/rules/publishers.ts'
import type { LiveChannel, LivePart, LiveState, LiveStats } from '../origin/channel.ts'
import { type AirState, type Packaging, toState } from './air-state.ts'
import { countPart } from './gauges.ts'
import type { Recorder } from './recorder.ts'
import type { Thumbnails } from './thumbnails.ts'

export interface Publisher {
  client: string
  hash: string
  since: number
  /** True if data arrived before the first part was created. */
  heard?: boolean | undefined
  isReported?: boolean
}

export interface OnAirTools {
  thumbnails: Thumbnails
  /** Starts the packager of a source. Resolves when the packager waits for its first frame. */
  start(source: Source, on: { part(part: LivePart): void; state(state: LiveState): void }): Promise<LiveChannel>
  live(): void
}

/** Time in milliseconds that the packager has to read the remaining data of a publisher that left. */
const drainMs = 1_500

const silentMs = 3_000

/** Timeout in milliseconds for the first frame of a publisher. */
const muteMs = 5_000

/** Timeout in milliseconds for the first part from a publisher's data. */
const packagedMs = 10_000

export class OnAir {
  readonly channel: Channel
  readonly broadcastId: string
  readonly publishers = new Map<Source, Publisher>()
  readonly recorder: Recorder | undefined
  /** The source that was packaged last. */
  source: Source
  announced = false
  readonly #tools: OnAirTools
  #state: AirState = { name: 'admitted' }
  #live: LiveChannel | undefined
  #hasParts = false
  #hasNewPart = false

  constructor(
    { channel, source, broadcastId }: { channel: Channel; source: Source; broadcastId: string },
    recorder: Recorder | undefined,
    tools: OnAirTools,
  ) {
    this.channel = channel
    this.broadcastId = broadcastId
    this.source = source
    this.recorder = recorder
    this.#tools = tools
  }

  #enter(next: AirState): void {
    this.#state = toState(this.#state, next)
  }

  get #packaging(): Packaging | undefined {
    return 'packaging' in this.#state ? this.#state.packaging : undefined
  }

  /** Source that is being packaged. Undefined while there is no publisher. */
  get current(): Source | undefined {
    return this.#packaging?.source
  }

  get isOver(): boolean {
    return this.#state.name === 'ending' || this.#state.name === 'ended'
  }

  outranks(source: Source): boolean {
    return outranks(source, this.current)
  }

  async play(source: Source): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const packaging: Packaging = { source, startedAt: Date.now(), packager: 'connecting', ended }
    this.#enter({ name: 'packaging', packaging })
    this.source = source
    this.recorder?.cut()
    this.#live = await this.#tools.start(source, {
      part: (part) => this.#receive(part),
      state: (state) => this.#follow(packaging, state),
    })
  }

  #receive(part: LivePart): void {
    this.#hasParts = true
    this.#hasNewPart = true
    countPart(part.data.length)
    this.recorder?.push(part)
    this.#tools.thumbnails.offer(this.channel.id, part)
  }

  #follow(packaging: Packaging, state: LiveState): void {
    packaging.packager = state
    if (state === 'ended') packaging.ended.resolve()
    if (state === 'live' && packaging === this.#packaging) this.#tools.live()
  }

  async lose(source: Source): Promise<void> {
    this.publishers.delete(source)
    const packaging = this.#packaging
    if (packaging?.source !== source) return
    await drain(packaging)
    const next = selectBestSource(this.publishers)
    if (next) return await this.play(next)
    this.#enter({ name: 'absent', since: Date.now() })
    await this.#live?.stop()
  }

  /** Returns false if the broadcast is already ending. Otherwise nothing is played from now on. */
  startEnding(): boolean {
    if (this.isOver) return false
    this.#enter({ name: 'ending', packaging: this.#packaging })
    return true
  }

  /**
   * Stops packaging. With `ended`, players are notified that the broadcast has ended. Without it, another worker can
   * continue the broadcast.
   */
  async stop(options: { ended: boolean }): Promise<void> {
    this.#enter({ name: 'ended' })
    await this.#live?.stop(options)
  }

  get stats(): LiveStats | undefined {
    return this.#live?.stats()
  }

  get isLive(): boolean {
    return this.#packaging?.packager === 'live'
  }

  get isStuck(): boolean {
    const packaging = this.#packaging
    return packaging?.packager === 'ended' && this.#quietFor(packaging) > silentMs
  }

  /** True if a publisher had time to send data and the packager received none. */
  isMute(source: Source): boolean {
    return this.#hasNoPartIn(source, muteMs)
  }

  /** True if no part could be created in time from a publisher's data. */
  isUnpackaged(source: Source): boolean {
    return this.#hasNoPartIn(source, packagedMs)
  }

  /** Undefined while there is a publisher, and before the first publisher. */
  get absence(): Absence | undefined {
    return this.#state.name === 'absent' ? { since: this.#state.since, wasHeard: this.#hasParts } : undefined
  }

  isSilent(source: Source): boolean {
    const packaging = this.#packaging
    return packaging?.source === source && this.#quietFor(packaging) > silentMs
  }

  #hasNoPartIn(source: Source, milliseconds: number): boolean {
    const { since } = this.publishers.get(source) ?? { since: Date.now() }
    return source === this.current && (this.stats?.lastPartAt ?? 0) < since && Date.now() - since > milliseconds
  }

  /** True if a part was created since the last call. */
  takeNewPart(): boolean {
    const isNew = this.#hasNewPart
    this.#hasNewPart = false
    return isNew
  }

  #quietFor({ startedAt }: Packaging): number {
    return Date.now() - Math.max(startedAt, this.stats?.lastPartAt ?? 0)
  }
}

/** Waits until the packager has read the remaining data of a publisher that left. */
async function drain({ ended }: Packaging): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, drainMs)
  await Promise.race([ended.promise, late.promise])
  clearTimeout(timer)
}

export function toFacts({ stats, recorder }: OnAir, thumbnailAt: string | undefined): Facts {
  if (!stats) return {}
  const { video, audio, lastPart } = stats
  return {
    lastPart: lastPart ? { ...lastPart, at: new Date(lastPart.at).toISOString() } : undefined,
    bitRate: Math.round(stats.bitRate),
    frameRate: stats.framesPerSecond,
    videoCodec: video?.codec,
    audioCodec: audio?.codec,
    width: video?.width,
    height: video?.height,
    gopSeconds: stats.keyFrameSeconds ?? undefined,
    warnings: [...stats.warnings, ...(recorder?.warnings ?? [])],
    transcode: stats.transcode,
    viewers: stats.viewers,
    thumbnailAt,
  }
}
