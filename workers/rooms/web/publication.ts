import { log } from '#lib/log.ts'
import type { WebPublishing } from '#tasks/live/engine.ts'
import type { Janus } from '../janus/janus.ts'
import type { JanusMessage } from '../janus/session.ts'
import { type PublisherHandle, VideoRoom } from '../janus/video-room.ts'
import { type Copier, startCopier } from './copier.ts'
import { type Receiver, Relay } from './relay.ts'

export interface PublicationFacts {
  id: string
  channelId: string
  source: 'primary' | 'backup'
  streamKey: string
  hash: string
}

export interface PublicationTools {
  janus: Janus
  publishing: WebPublishing
  rtmp: string
  folder: string
  /** Maximum video bit rate to request from browsers, in bits per second. */
  bitRate: number
  /** Period in milliseconds in which a lost ingest connection is retried. */
  patienceMs: number
}

/** Key frame interval in seconds. HLS viewers cannot start without key frames. */
const keyFrameSeconds = 2

/** Timeouts in milliseconds: for establishing a connection, and for a connection without packets. */
const [connectMs, silentMs] = [15_000, 5_000]

/** Delay in milliseconds before ingest is retried, and minimum interval between key frame requests. */
const [againMs, wishMs] = [1_000, 500]

/**
 * If the video changes its size again within `steadyMs`, the delay before the next start doubles. Its maximum is
 * `mostAgainMs` milliseconds, and also `mostOfPatience`, a part of the retry period.
 */
const [steadyMs, mostAgainMs, mostOfPatience] = [60_000, 8_000, 1 / 4]

/** Timeout in milliseconds for the first video packet. If none arrives, only audio is broadcast. */
const cameraMs = 3_000

/**
 * Returns the accepted bit rate in bits per second. The requested bit rate is not binding, and a few browsers exceed it
 * for a moment. Audio is added.
 */
const mostBitRate = (asked: number) => 3 * asked + 1_000_000

export class Publication {
  readonly facts: PublicationFacts
  readonly #tools: PublicationTools
  readonly #begun = performance.now()
  readonly #ended = Promise.withResolvers<string>()
  #room: VideoRoom | undefined
  #publisher: PublisherHandle | undefined
  #relay: Relay | undefined
  #tracks: { audio?: string | undefined; video?: string | undefined; simulcast: boolean } = { simulcast: false }
  #isUp = false
  #upAt = 0
  #copier: Copier | undefined
  #copies = { video: true, since: 0 }
  #starting: Promise<void> | undefined
  #tryingSince = Date.now()
  #againAt = 0
  /** Number of consecutive starts that produced only short output. */
  #soonOver = 0
  #wishedAt = 0
  #reshaping = false
  #hasRun = false
  #over = false

  private constructor(facts: PublicationFacts, tools: PublicationTools) {
    this.facts = facts
    this.#tools = tools
  }

  static async open(
    facts: PublicationFacts,
    sdp: string,
    tools: PublicationTools,
  ): Promise<{ publication: Publication; sdp: string }> {
    const publication = new Publication(facts, tools)
    try {
      return { publication, sdp: await publication.#open(sdp) }
    } catch (error) {
      await publication.end('failed')
      throw error
    }
  }

  get ended(): Promise<string> {
    return this.#ended.promise
  }

  get relay(): Relay | undefined {
    return this.#isUp && !this.#over ? this.#relay : undefined
  }

  get hasAudio(): boolean {
    return this.#tracks.audio !== undefined
  }

  async trickle(candidate: object | null): Promise<void> {
    await this.#publisher?.trickle(candidate)
  }

  wishKeyFrame(): void {
    const now = performance.now()
    if (now - this.#wishedAt < wishMs) return
    this.#wishedAt = now
    this.#publisher
      ?.keyframe()
      .catch((error) => log.debug({ err: error }, 'a key frame could not be requested from a publisher'))
  }

  async look(): Promise<void> {
    if (this.#over) return
    const now = performance.now()
    if (!this.#isUp) {
      if (now - this.#begun > connectMs) await this.end('never_connected')
      return
    }
    if (now - (this.#relay?.lastAt ?? now) > silentMs) return await this.end('silent')
    if (this.#copier) this.#lookAtCamera()
    if (this.#copier || this.#starting !== undefined) return
    const { channelId, source, hash } = this.facts
    const why = await this.#tools.publishing.whyOver({ channelId, source, hash, since: this.#tryingSince })
    // Ingest keeps the previous connection open for a moment after it ended.
    if (why && !(why === 'key_in_use' && this.#hasRun)) return await this.end(why)
    if (Date.now() - this.#tryingSince > this.#tools.patienceMs) return await this.end('ingest_away')
    if (now >= this.#againAt) this.#beginOnceKnown()
  }

  #lookAtCamera(): void {
    const { video, since } = this.#copies
    if (!video && (this.#relay?.pictureAt ?? 0) > since) this.#reshape()
  }

  async end(why: string): Promise<void> {
    if (this.#over) return
    this.#over = true
    log.info({ channel: this.facts.channelId, publication: this.facts.id, why }, 'a WHIP session ended')
    const quietly = (error: Error) => log.warn({ err: error }, 'a WHIP publisher did not end correctly')
    await this.#publisher?.detach().catch(quietly)
    await this.#room?.destroy().catch(quietly)
    await this.#starting
    await this.#copier?.stop()
    this.#relay?.close()
    await this.#tools.publishing.remove(this.facts.id).catch(quietly)
    this.#ended.resolve(why)
  }

  async #open(sdp: string): Promise<string> {
    const { janus, bitRate } = this.#tools
    const { id } = this.facts
    const flood = () => void this.end('too_much')
    const picture = () => this.#beginOnceKnown()
    const on = { wish: () => this.wishKeyFrame(), reshape: () => this.#reshape(), picture, flood }
    this.#relay = await Relay.open(on, mostBitRate(bitRate))
    this.#room = await VideoRoom.open(janus, id, 1, { codec: 'h264', bitRate, keyFrameSeconds })
    this.#publisher = await this.#room.admit('whip', (said) => this.#hear(said))
    const { sdp: answer, streams } = await this.#publisher.publish(sdp)
    const find = (kind: string) => streams.find(({ type, disabled }) => type === kind && !disabled)
    const video = find('video')
    this.#tracks = { audio: find('audio')?.mid, video: video?.mid, simulcast: video?.simulcast ?? false }
    return answer
  }

  #hear({ janus }: JanusMessage): void {
    if (janus === 'webrtcup') {
      this.#up().catch((error) => {
        log.error({ err: error }, 'the media of a WHIP publisher could not be received')
        void this.end('failed')
      })
    } else if (janus === 'hangup' || janus === 'detached') void this.end('left')
  }

  async #up(): Promise<void> {
    const { audio, video, simulcast } = this.#tracks
    const relay = this.#relay
    if (this.#isUp || !relay || !video || !this.#publisher) return
    await this.#room?.forward(this.#publisher.feed, {
      audio: audio === undefined ? undefined : { mid: audio, port: relay.port('audio') },
      video: { mid: video, port: relay.port('video'), simulcast },
    })
    relay.lastAt = performance.now()
    this.#isUp = true
    this.#upAt = performance.now()
    this.#tryingSince = Date.now()
    this.#beginOnceKnown()
  }

  /**
   * Starts when the tracks are known. If a video track never sends, ingest would drop the publication as silent and
   * restart it.
   */
  #beginOnceKnown(): void {
    const isKnown = !this.hasAudio || this.#relay?.pictureAt !== undefined || performance.now() - this.#upAt > cameraMs
    if (this.#isUp && isKnown) this.#begin()
  }

  /** Restarts the copier, because a packager accepts only video of one size. */
  #reshape(): void {
    const copier = this.#copier
    if (!copier || this.#reshaping) return
    this.#reshaping = true
    log.debug({ publication: this.facts.id }, 'the video size of a WHIP publisher changed')
    void copier.stop().then(() => {
      this.#reshaping = false
      // A web page can change the size with each frame, and each start uses a second of a core. The next check starts
      // the copier.
      if (performance.now() >= this.#againAt) this.#begin()
    })
  }

  #begin(): void {
    if (this.#starting !== undefined || this.#copier || this.#over) return
    const most = Math.max(againMs, Math.min(mostAgainMs, mostOfPatience * this.#tools.patienceMs))
    this.#againAt = performance.now() + Math.min(againMs * 2 ** this.#soonOver, most)
    this.#starting = this.#start()
      .catch((error) => log.error({ err: error }, 'the media of a WHIP publisher could not be published'))
      .finally(() => {
        this.#starting = undefined
      })
  }

  async #start(): Promise<void> {
    const { rtmp, folder } = this.#tools
    const isCameraOff = this.hasAudio && this.#relay?.pictureAt === undefined
    const rtmpUrl = `${rtmp}/${this.facts.streamKey}`
    const copier = await startCopier({ rtmp: rtmpUrl, audio: this.hasAudio, video: !isCameraOff, folder })
    const began = performance.now()
    this.#copies = { video: !isCameraOff, since: began }
    this.#copier = copier
    const { audio, video } = copier.ports
    const receiver: Receiver = {
      audio: audio === undefined ? undefined : { port: audio },
      video: video === undefined ? undefined : { port: video },
      isWaiting: video !== undefined,
    }
    this.#relay?.receivers.add(receiver)
    this.wishKeyFrame()
    void copier.ended.then((failure) => {
      this.#relay?.receivers.delete(receiver)
      this.#copier = undefined
      this.#hasRun ||= copier.hasRun
      // The retry period starts at this point.
      if (copier.hasRun) {
        this.#tryingSince = Date.now() - againMs
        this.#soonOver = performance.now() - began < steadyMs ? this.#soonOver + 1 : 0
      }
      if (failure === undefined || this.#over) return
      log.warn({ publication: this.facts.id, why: failure }, 'the media of a WHIP publisher was interrupted')
    })
  }
}
