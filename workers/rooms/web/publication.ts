import { log } from '#lib/log.ts'
import type { WebPublishing } from '#tasks/live/engine.ts'
import type { Janus } from '../janus/janus.ts'
import type { JanusMessage } from '../janus/session.ts'
import { type PublisherHandle, VideoRoom } from '../janus/video-room.ts'
import { type Copier, startCopier } from './copier.ts'
import { type Receiver, Relay } from './relay.ts'

/** What a publisher by WHIP is. */
export interface PublicationFacts {
  id: string
  channelId: string
  source: 'primary' | 'backup'
  streamKey: string
  /** Of the key. */
  hash: string
}

/** What publications need of their worker. */
export interface PublicationTools {
  janus: Janus
  publishing: WebPublishing
  /** Where ingest takes RTMP; the stream key follows. */
  rtmp: string
  /** A folder for what GStreamer remembers of its plugins. */
  folder: string
  /** Bits a second that browsers send of video at most. */
  bitRate: number
  /** Milliseconds for which ingest is tried after it was lost. */
  patienceMs: number
}

/** Seconds from one key frame to the next, without which a viewer of HLS cannot begin. */
const keyFrameSeconds = 2

/** Milliseconds for a connection to come up, and without any packet after which its publisher is gone. */
const [connectMs, silentMs] = [15_000, 5_000]

/** Milliseconds before ingest is tried again, and between two wishes for a key frame. */
const [againMs, wishMs] = [1_000, 500]

/**
 * What went out for less than so many milliseconds, as its pictures' size changed again, makes the time before the next start twice as
 * long, to at most so many and this part of the time for which ingest is tried.
 */
const [steadyMs, mostAgainMs, mostOfPatience] = [60_000, 8_000, 1 / 4]

/** Milliseconds in which a camera's first packet is waited for: without one, audio is broadcast only. */
const cameraMs = 3_000

/** Bits a second that are taken: what is asked for is a wish, which few exceed for a moment, and sound comes beside it. */
const mostBitRate = (asked: number) => 3 * asked + 1_000_000

/** Somebody who publishes from a browser: their media go to ingest as an encoder's, and to those who watch by WebRTC. */
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
  /** Whether the copier takes pictures, and since when it runs. */
  #copies = { video: true, since: 0 }
  #starting: Promise<void> | undefined
  #tryingSince = Date.now()
  #againAt = 0
  /** Starts in a row of which what went out was soon over. */
  #soonOver = 0
  #wishedAt = 0
  #reshaping = false
  #hasRun = false
  #over = false

  private constructor(facts: PublicationFacts, tools: PublicationTools) {
    this.facts = facts
    this.#tools = tools
  }

  /** Takes an offer; the publication and the answer. */
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

  /** Why it ended, once it has. */
  get ended(): Promise<string> {
    return this.#ended.promise
  }

  get relay(): Relay | undefined {
    return this.#isUp && !this.#over ? this.#relay : undefined
  }

  /** Whether it sends sound. */
  get hasAudio(): boolean {
    return this.#tracks.audio !== undefined
  }

  async trickle(candidate: object | null): Promise<void> {
    await this.#publisher?.trickle(candidate)
  }

  /** Has a whole picture sent, which whoever comes to watch needs. */
  wishKeyFrame(): void {
    const now = performance.now()
    if (now - this.#wishedAt < wishMs) return
    this.#wishedAt = now
    this.#publisher
      ?.keyframe()
      .catch((error) => log.debug({ err: error }, 'a key frame could not be requested from a publisher'))
  }

  /** Does what has to be done about it by now. */
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
    // Who was heard before is still taken for there, for a moment.
    if (why && !(why === 'key_in_use' && this.#hasRun)) return await this.end(why)
    if (Date.now() - this.#tryingSince > this.#tools.patienceMs) return await this.end('ingest_away')
    if (now >= this.#againAt) this.#beginOnceKnown()
  }

  /** Begins anew where video comes of a camera that was off. */
  #lookAtCamera(): void {
    const { video, since } = this.#copies
    if (!video && (this.#relay?.pictureAt ?? 0) > since) this.#reshape()
  }

  /** Ends the connection, and with it what is published. */
  async end(why: string): Promise<void> {
    if (this.#over) return
    this.#over = true
    log.info({ channel: this.facts.channelId, publication: this.facts.id, why }, 'a WHIP publisher has ended')
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

  /** Begins once the tracks are known: a start with video that never comes would be dropped as silent, and begun again. */
  #beginOnceKnown(): void {
    const isKnown = !this.hasAudio || this.#relay?.pictureAt !== undefined || performance.now() - this.#upAt > cameraMs
    if (this.#isUp && isKnown) this.#begin()
  }

  /** What is published begins anew, as a packager takes pictures of one size. */
  #reshape(): void {
    const copier = this.#copier
    if (!copier || this.#reshaping) return
    this.#reshaping = true
    log.debug({ publication: this.facts.id }, 'the video of a WHIP publisher changed its size')
    void copier.stop().then(() => {
      this.#reshaping = false
      // A page may change the size with each picture, and a start takes a second of a core: the next look begins it then.
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
      // The time for which ingress is tried counts from here.
      if (copier.hasRun) {
        this.#tryingSince = Date.now() - againMs
        this.#soonOver = performance.now() - began < steadyMs ? this.#soonOver + 1 : 0
      }
      if (failure === undefined || this.#over) return
      log.warn({ publication: this.facts.id, why: failure }, 'the media of a WHIP publisher was interrupted')
    })
  }
}
