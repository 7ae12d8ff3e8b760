import { runEvery } from '#lib/every.ts'
import { KeyedMutex } from '#lib/keyed-mutex.ts'
import { log } from '#lib/log.ts'
import type { EndReason } from '#sql/live/broadcasts.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type { ChannelKey, ChannelReport, Source } from '#tasks/live/engine.ts'
import { findRefusalReason } from '#tasks/live/rules/publishers.ts'
import { observeOnAir } from './gauges.ts'
import { type Hook, openHooks } from './hooks.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { OnAir, toFacts } from './on-air.ts'
import type { IngestOptions } from './options.ts'
import { Recorder } from './recorder.ts'
import { getStreamName, Refusals } from './refusals.ts'
import { type SrtListeners, startSrt } from './srt.ts'
import { StreamUrls } from './stream-urls.ts'
import { Thumbnails } from './thumbnails.ts'
import { TranscodeRoom } from './transcode-room.ts'

/**
 * Interval in milliseconds between checks of channels, which include rotated keys and requested ends. Interval in
 * milliseconds between checks for broadcasts of dead workers and new SRT ports.
 */
const [tickMs, sweepMs] = [1_000, 5_000]

/**
 * Timeouts in milliseconds for storing the rest of a recording: at the end of a broadcast, and when the worker shuts
 * down.
 */
const [restMs, lastRestMs] = [30_000, 5_000]

export async function startIngest(options: IngestOptions): Promise<{ close(): Promise<void> }> {
  const ingest = new Ingest(options)
  try {
    await ingest.start()
  } catch (error) {
    await ingest.close()
    throw error
  }
  return ingest
}

class Ingest {
  readonly #options: IngestOptions
  readonly #onAir = new Map<string, OnAir>()
  /** Actions on one channel run one after another. */
  readonly #channels = new KeyedMutex()
  readonly #urls: StreamUrls
  readonly #thumbnails: Thumbnails
  readonly #refusals: Refusals
  readonly #room: TranscodeRoom
  readonly #ends = new AsyncDisposableStack()
  #nginx: Nginx | undefined
  #srt: SrtListeners | undefined
  #closing = false

  constructor(options: IngestOptions) {
    this.#options = options
    this.#urls = new StreamUrls(options.port)
    this.#room = new TranscodeRoom(options.transcodeCores)
    this.#thumbnails = new Thumbnails(options.media, options.storage)
    this.#refusals = new Refusals(options.admissions, () => this.#nginx)
  }

  async start(): Promise<void> {
    const { nginx, host, port } = this.#options
    const hooks = await openHooks({
      publish: (hook) => this.#publish(hook),
      done: (hook) => this.#done(hook),
      play: (hook) => this.#urls.isAllowed(hook),
    })
    this.#ends.defer(() => hooks.close())
    this.#nginx = await startNginx({ ...nginx, host, port, hooks: hooks.url, onEnd: () => this.#loseAll() })
    this.#ends.defer(() => this.#nginx?.stop())
    this.#srt = startSrt({ ...this.#options, folder: this.#nginx.folder, rtmp: `rtmp://127.0.0.1:${port}/live` })
    this.#ends.defer(() => this.#srt?.close())
    this.#ends.defer(observeOnAir(() => [...this.#onAir.values()]))
    const look = (air: OnAir) => this.#look(air).catch(quietly)
    const ticks = runEvery(tickMs, () => Promise.all([...this.#onAir.values()].map(look)), quietly)
    const sweeps = runEvery(sweepMs, () => this.#sweep(), quietly)
    await this.#sweep().catch(quietly)
    this.#ends.defer(async () => {
      await Promise.all([ticks.stop(), sweeps.stop()])
    })
  }

  /** Releases every channel, so that another worker can continue its broadcast immediately. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(
      [...this.#onAir.values()].map((air) => this.#channels.run(air.channel.id, () => this.#yield(air))),
    )
    await this.#ends.disposeAsync()
    this.#thumbnails.close()
  }

  async #publish(hook: Hook): Promise<string | null> {
    if (this.#closing) return null
    const { name, address } = hook
    const srtChannelId = address === '127.0.0.1' ? this.#srt?.published(name) : undefined
    const key = await this.#options.admissions.identify(srtChannelId ? { srtChannelId } : { streamKey: name })
    if (!key) return null
    const refusal = findRefusalReason(key)
    if (refusal) return await this.#refusals.refuse(key.channel, key.source, refusal)
    return await this.#channels.run(key.channel.id, () => this.#accept(key, hook.client))
  }

  async #accept(key: ChannelKey, client: string): Promise<string | null> {
    const { channel, source, hash } = key
    const stream = getStreamName(channel.id, source)
    const air = this.#onAir.get(channel.id) ?? (await this.#take(channel, source))
    if (typeof air === 'string') return await this.#refusals.refuse(channel, source, air)
    if (air.isOver) return null
    if (air.publishers.has(source)) {
      const refusal = findRefusalReason(key, { isSilent: air.isSilent(source) })
      if (refusal) return await this.#refusals.refuse(channel, source, refusal)
      await this.#nginx?.drop(stream)
      await air.lose(source)
    }
    air.publishers.set(source, { client, hash, since: Date.now() })
    const { current } = air
    const waits = air.outranks(source) ? current : source
    if (waits !== source) await air.play(source)
    if (waits) await this.#refusals.note(channel, waits, 'standby')
    return stream
  }

  async #take(channel: Channel, source: Source): Promise<OnAir | Reason> {
    const { admissions, origin } = this.#options
    const admission = await admissions.admit(channel, source)
    if (typeof admission === 'string') return admission
    const { broadcastId, takeovers, recording } = admission
    const recorder = recording && new Recorder(broadcastId, recording.start, recording.keep)
    const air = new OnAir({ channel, source, broadcastId }, recorder, {
      thumbnails: this.#thumbnails,
      start: async (from, on) => {
        const stream = getStreamName(channel.id, from)
        const playing = this.#urls.nextPackager(stream)
        const started = origin.startChannel({
          channelId: channel.id,
          input: this.#urls.forPackager(stream),
          dvrSeconds: channel.dvr_seconds,
          takeovers,
          renditions: channel.renditions,
          takeRoom: (heights) => this.#room.take(channel.id, heights),
          slate: channel.slate,
          onPart: on.part,
          onState: on.state,
        })
        await playing
        return started
      },
      live: () => void this.#announce(air).catch(quietly),
    })
    this.#onAir.set(channel.id, air)
    return air
  }

  /** Reports a live channel immediately instead of with the next renewal. */
  async #announce(air: OnAir): Promise<void> {
    const { admissions } = this.#options
    await admissions.goLive(air.broadcastId)
    air.announced = true
    await admissions.report(this.#reportOf(air))
  }

  async #done({ client }: Hook): Promise<void> {
    for (const air of this.#onAir.values()) {
      for (const [source, publisher] of air.publishers) {
        if (publisher.client !== client) continue
        await this.#channels.run(air.channel.id, async () => {
          if (air.publishers.get(source) !== publisher) return
          // nginx also drops idle publishers by itself.
          if (air.isMute(source) && !publisher.heard) await this.#refusals.note(air.channel, source, 'silent')
          await air.lose(source)
        })
      }
    }
  }

  #loseAll(): void {
    if (this.#closing) return
    for (const air of this.#onAir.values()) {
      void this.#channels.run(air.channel.id, async () => {
        const { current } = air
        for (const source of [...air.publishers.keys()]) if (source !== current) air.publishers.delete(source)
        if (current) await air.lose(current)
      })
    }
  }

  async #look(air: OnAir): Promise<void> {
    if (air.isOver || this.#closing) return
    const alone = (work: () => Promise<void>) => this.#channels.run(air.channel.id, work)
    const { absence } = air
    const standing = await this.#options.admissions.renew(this.#reportOf(air), absence)
    if (standing.state === 'lost') return await alone(() => this.#abandon(air))
    if (standing.state === 'over') {
      const { reason, unlessBack } = standing
      return await alone(async () => {
        if (!unlessBack || air.absence?.since === absence?.since) await this.#end(air, reason)
      })
    }
    if (air.isLive && !air.announced) await this.#announce(air)
    await this.#check(air, standing.channel)
    await this.#restream(air)
  }

  async #restream(air: OnAir): Promise<void> {
    const { id } = air.channel
    await this.#options.restreams.look(id, () => {
      const { current } = air
      return current && this.#urls.forRestream(getStreamName(id, current))
    })
    // The channel may have ended in the meantime.
    if (air.isOver) this.#options.restreams.stop(id)
  }

  async #check(air: OnAir, channel: Channel): Promise<void> {
    const { current } = air
    for (const source of await this.#refusals.look(air, channel)) await this.#drop(air, source)
    if (!air.isStuck || !current) return
    await this.#channels.run(air.channel.id, async () => (air.current === current ? air.play(current) : undefined))
  }

  /** Disconnects a publisher whose key is no longer valid, or that sends nothing while another publisher waits. */
  async #drop(air: OnAir, source: Source): Promise<void> {
    if (source === 'srt') this.#srt?.end(air.channel.id)
    await this.#nginx?.drop(getStreamName(air.channel.id, source))
  }

  #reportOf(air: OnAir): ChannelReport {
    const { id: channelId } = air.channel
    const facts = toFacts(air, this.#thumbnails.takenAt(channelId))
    return { channelId, isLive: air.isLive, source: air.source, facts, hasPart: air.takeNewPart() }
  }

  async #end(air: OnAir, reason: EndReason): Promise<void> {
    if (!air.startEnding()) return
    this.#options.restreams.stop(air.channel.id)
    for (const source of air.publishers.keys()) await this.#drop(air, source)
    await air.stop({ ended: true })
    await air.recorder?.close(restMs)
    await this.#options.admissions.end(air.channel.id, air.broadcastId, reason).finally(() => this.#forget(air))
  }

  async #abandon(air: OnAir): Promise<void> {
    if (air.isOver) return
    log.warn({ channel: air.channel.id }, 'this channel now belongs to another worker')
    for (const source of air.publishers.keys()) await this.#drop(air, source)
    await this.#yield(air, 0)
  }

  async #yield(air: OnAir, rest = lastRestMs): Promise<void> {
    if (!air.startEnding()) return
    this.#options.restreams.stop(air.channel.id)
    await air.stop({ ended: false })
    await air.recorder?.close(rest)
    await this.#options.admissions.giveUp(air.channel.id).catch(quietly)
    this.#forget(air)
  }

  #forget(air: OnAir): void {
    this.#onAir.delete(air.channel.id)
    this.#room.giveBack(air.channel.id)
    this.#thumbnails.forget(air.channel.id)
  }

  async #sweep(): Promise<void> {
    await this.#srt?.follow()
    await this.#options.admissions.sweep([...this.#onAir.keys()])
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'live ingest could not reach the database')
