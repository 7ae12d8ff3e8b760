import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { log } from '#lib/log.ts'
import type { WebPublishing } from '#tasks/live/engine.ts'
import { runFeeder } from './feeder.ts'
import { WebRefusalError } from './refusal.ts'
import { Relay } from './relay.ts'
import type { Watched } from './watched.ts'

export interface FeedTools {
  publishing: WebPublishing
  folder: string
  /** Period in milliseconds in which a lost broadcast is looked for. */
  patienceMs: number
}

/** Delay in milliseconds between attempts to read the frames, and timeout of the response. */
const [againMs, answerMs] = [250, 5_000]

/** Timeout in milliseconds for frames. */
const silentMs = 8_000

/** Maximum bit rate in bits per second. */
const mostBitRate = 100_000_000

interface Opened {
  frames: Readable
  hasAudio: boolean
}

type Refused = 'no_frames' | 'b_frames' | 'no_video'

const refusals: Readonly<Record<Refused, () => WebRefusalError>> = {
  no_frames: () => new WebRefusalError(404, 'channel_not_live', 'Nothing is being broadcast on the channel.'),
  b_frames: () =>
    new WebRefusalError(409, 'b_frames', 'The encoder sends B-frames, which WebRTC cannot show. Watch over HLS.'),
  no_video: () => new WebRefusalError(409, 'hls_only', 'The broadcast has no video. Watch over HLS.'),
}

/**
 * Sends the broadcast of an encoder to WebRTC viewers of this worker. Video is not encoded again. If the broadcast is
 * interrupted or moves to another worker, viewers stay connected and continue.
 */
export class Feed implements Watched {
  readonly facts: { channelId: string }
  readonly ended: Promise<void>
  readonly #tools: FeedTools
  readonly #relay: Relay
  readonly #stopped = new AbortController()
  #hasAudio = false
  #run: AbortController | undefined

  private constructor(channelId: string, tools: FeedTools, relay: Relay, first: Opened) {
    this.facts = { channelId }
    this.#tools = tools
    this.#relay = relay
    this.#hasAudio = first.hasAudio
    this.ended = this.#follow(first)
  }

  /** Opens the frames of a broadcast. Throws the reason if viewers cannot have them. */
  static async open(channelId: string, tools: FeedTools): Promise<Feed> {
    const first = await openFrames(channelId, tools)
    if (typeof first === 'string') throw refusals[first]()
    let feed: Feed | undefined
    const flood = () => {
      if (feed) feed.#refuse()
    }
    const relay = await Relay.open({ wish() {}, reshape() {}, picture() {}, flood }, mostBitRate)
    feed = new Feed(channelId, tools, relay, first)
    return feed
  }

  get relay(): Relay | undefined {
    return this.#stopped.signal.aborted ? undefined : this.#relay
  }

  get hasAudio(): boolean {
    return this.#hasAudio
  }

  /** Encoders accept no request for a key frame. Viewers wait for the next key frame. */
  wishKeyFrame(): void {}

  /** Reads the frames again if none arrive. */
  look(): void {
    if (this.#run && performance.now() - this.#relay.lastAt > silentMs) this.#run.abort()
  }

  async end(): Promise<void> {
    this.#stopped.abort()
    await this.ended
  }

  /** Ends a broadcast with a higher bit rate than this worker sends. */
  #refuse(): void {
    log.warn({ channel: this.facts.channelId }, 'a broadcast has a bit rate that is too high for WebRTC viewers')
    this.#stopped.abort()
  }

  async #follow(first: Opened): Promise<void> {
    let opened: Opened | Refused = first
    let since = performance.now()
    while (!this.#stopped.signal.aborted) {
      if (typeof opened !== 'string') {
        await this.#send(opened)
        since = performance.now()
      } else if (opened !== 'no_frames' || performance.now() - since > this.#tools.patienceMs) break
      await pause(againMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
      if (!this.#stopped.signal.aborted) opened = await openFrames(this.facts.channelId, this.#tools)
    }
    if (typeof opened !== 'string') opened.frames.destroy()
    this.#stopped.abort()
    this.#relay.close()
  }

  async #send({ frames, hasAudio }: Opened): Promise<void> {
    const run = new AbortController()
    this.#run = run
    this.#hasAudio = hasAudio
    this.#relay.lastAt = performance.now()
    // A viewer must not decode frames that refer to frames of the previous run.
    for (const receiver of this.#relay.receivers) receiver.isWaiting = receiver.video !== undefined
    const failure = await runFeeder({
      frames,
      videoPort: this.#relay.port('video'),
      audioPort: hasAudio ? this.#relay.port('audio') : undefined,
      folder: this.#tools.folder,
      signal: AbortSignal.any([this.#stopped.signal, run.signal]),
    })
    this.#run = undefined
    if (failure) log.warn({ channel: this.facts.channelId, why: failure }, 'frames for WebRTC viewers were interrupted')
  }
}

async function openFrames(channelId: string, { publishing }: FeedTools): Promise<Opened | Refused> {
  try {
    const source = await publishing.findFrames(channelId)
    if (!source) return 'no_frames'
    const answer = await request(source.url, {
      headers: { authorization: `Bearer ${source.token}` },
      headersTimeout: answerMs,
      bodyTimeout: 0,
    })
    if (answer.statusCode === 200) {
      answer.body.on('error', () => {})
      return { frames: answer.body, hasAudio: answer.headers['x-audio'] === 'true' }
    }
    await answer.body.dump()
    const reason = answer.headers['x-live']
    return reason === 'b_frames' || reason === 'no_video' ? reason : 'no_frames'
  } catch (error) {
    log.debug({ err: error, channel: channelId }, 'the frames of a broadcast could not be read')
    return 'no_frames'
  }
}
