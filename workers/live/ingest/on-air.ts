import type { Channel } from '#sql/live/channels.ts'
import type { Facts } from '#sql/live/sessions.ts'
import type { Absence, Source } from '#tasks/live/engine.ts'
import { outranks, selectBestSource } from '#tasks/live/rules/publishers.ts'
import type { LiveChannel, LivePart, LiveState, LiveStats } from '../origin/channel.ts'
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
  /** Source that is being packaged. Undefined while there is no publisher. */
  current: Source | undefined
  source: Source
  lostAt: number | undefined
  announced = false
  ending = false
  newParts = 0
  readonly #tools: OnAirTools
  #live: LiveChannel | undefined
  #state: LiveState = 'connecting'
  #startedAt = 0
  #heard = false
  #ended: PromiseWithResolvers<void> | undefined

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

  outranks(source: Source): boolean {
    return outranks(source, this.current)
  }

  async play(source: Source): Promise<void> {
    const ended = Promise.withResolvers<void>()
    Object.assign(this, { current: source, source, lostAt: undefined })
    this.#state = 'connecting'
    this.#startedAt = Date.now()
    this.#ended = ended
    this.recorder?.cut()
    this.#live = await this.#tools.start(source, {
      part: (part) => {
        this.newParts++
        this.#heard = true
        countPart(part.data.length)
        this.recorder?.push(part)
        this.#tools.thumbnails.offer(this.channel.id, part)
      },
      state: (state) => {
        if (state === 'ended') ended.resolve()
        if (this.#ended !== ended) return
        this.#state = state
        if (state === 'live') this.#tools.live()
      },
    })
  }

  async lose(source: Source): Promise<void> {
    this.publishers.delete(source)
    if (this.current !== source) return
    await this.#drain()
    const next = selectBestSource(this.publishers)
    if (next) return await this.play(next)
    this.current = undefined
    this.lostAt = Date.now()
    await this.#live?.stop()
  }

  /**
   * Stops packaging. With `ended`, players are notified that the broadcast has ended. Without it, another worker can
   * continue the broadcast.
   */
  async stop(options: { ended: boolean }): Promise<void> {
    this.current = undefined
    await this.#live?.stop(options)
  }

  get stats(): LiveStats | undefined {
    return this.#live?.stats()
  }

  get isLive(): boolean {
    return this.current !== undefined && this.#state === 'live'
  }

  get isStuck(): boolean {
    return this.current !== undefined && this.#state === 'ended' && this.#quietFor() > silentMs
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
    return this.lostAt === undefined ? undefined : { since: this.lostAt, wasHeard: this.#heard }
  }

  isSilent(source: Source): boolean {
    return source === this.current && this.#quietFor() > silentMs
  }

  #hasNoPartIn(source: Source, milliseconds: number): boolean {
    const { since } = this.publishers.get(source) ?? { since: Date.now() }
    return source === this.current && (this.stats?.lastPartAt ?? 0) < since && Date.now() - since > milliseconds
  }

  #quietFor(): number {
    return Date.now() - Math.max(this.#startedAt, this.stats?.lastPartAt ?? 0)
  }

  async #drain(): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, drainMs)
    await Promise.race([this.#ended?.promise, late.promise])
    clearTimeout(timer)
  }
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
