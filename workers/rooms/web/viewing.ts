import { log } from '#lib/log.ts'
import type { WebViewer } from '#tasks/live/engine.ts'
import type { Janus } from '../janus/janus.ts'
import { openPlain, type PlainPeer } from '../janus/no-sip.ts'
import { answerPlain } from './plain-answer.ts'
import { createBusyRefusal } from './refusal.ts'
import type { Receiver, Relay } from './relay.ts'
import type { Watched } from './watched.ts'

const connectMs = 15_000

/**
 * Time in milliseconds without RTCP after which a viewer has left, while media is sent. Browsers send RTCP about every
 * second. A browser that is closed does not end its connection, and Janus notices this only after minutes.
 */
const silentMs = 20_000

/** Time in milliseconds without media after which browsers may also send nothing. */
const pausedMs = 1_000

export class Viewing {
  readonly id: string
  readonly viewer: WebViewer
  readonly network: string
  readonly publication: Watched
  readonly #expiresAt: number
  readonly #onEnd: () => void
  readonly #begun = performance.now()
  #peer: PlainPeer | undefined
  #relay: Relay | undefined
  #receiver: Receiver | undefined
  #isUp = false
  /** Last time at which silence of the viewer meant nothing. */
  #quietAt = performance.now()
  #over = false

  private constructor(facts: ViewingFacts, publication: Watched, onEnd: () => void) {
    this.id = facts.id
    this.viewer = facts.viewer
    this.network = facts.network
    this.#expiresAt = facts.expiresAt
    this.publication = publication
    this.#onEnd = onEnd
  }

  /** Accepts an offer. Returns the viewer and the answer. Calls `onEnd` once. */
  static async open(
    facts: ViewingFacts,
    { sdp, janus, publication, onEnd }: { sdp: string; janus: Janus; publication: Watched; onEnd(): void },
  ): Promise<{ viewing: Viewing; sdp: string }> {
    const viewing = new Viewing(facts, publication, onEnd)
    try {
      return { viewing, sdp: await viewing.#open(janus, sdp) }
    } catch (error) {
      await viewing.end('failed')
      throw error
    }
  }

  async trickle(candidate: object | null): Promise<void> {
    await this.#peer?.trickle(candidate)
  }

  /** Ends the connection if it was not established in time, or if its session has expired. */
  async look(): Promise<void> {
    if (!this.#isUp && performance.now() - this.#begun > connectMs) await this.end('never_connected')
    else if (Date.now() >= this.#expiresAt) await this.end('expired')
    else if (this.#isSilent()) await this.end('silent')
  }

  #isSilent(): boolean {
    const now = performance.now()
    const receiver = this.#receiver
    if (!this.#isUp || !receiver || !this.#relay) return false
    if (receiver.isWaiting || now - this.#relay.lastAt > pausedMs) this.#quietAt = now
    return now - Math.max(this.#quietAt, receiver.heardAt ?? 0) > silentMs
  }

  async end(why: string): Promise<void> {
    if (this.#over) return
    this.#over = true
    if (this.#receiver) this.#relay?.receivers.delete(this.#receiver)
    log.debug({ channel: this.viewer.channelId, why }, 'a WHEP viewer has ended')
    await this.#peer?.detach().catch((error) => log.warn({ err: error }, 'could not close a WHEP session cleanly'))
    this.#onEnd()
  }

  async #open(janus: Janus, sdp: string): Promise<string> {
    const { relay, hasAudio } = this.publication
    if (!relay) throw createBusyRefusal()
    this.#peer = await openPlain(janus, sdp, ({ janus: said }) => {
      if (said === 'webrtcup') this.#begin()
      else if (said === 'hangup' || said === 'detached') void this.end('left')
    })
    const from = { audio: hasAudio ? relay.port('audio') : undefined, video: relay.port('video') }
    const plain = answerPlain(this.#peer.offer, from)
    this.#relay = relay
    this.#receiver = { audio: plain.audio, video: plain.video, isWaiting: plain.video !== undefined }
    return await this.#peer.answer(plain.sdp)
  }

  #begin(): void {
    if (this.#isUp || this.#over || !this.#receiver) return
    this.#isUp = true
    this.#quietAt = performance.now()
    this.#relay?.receivers.add(this.#receiver)
    this.publication.wishKeyFrame()
  }
}

export interface ViewingFacts {
  id: string
  viewer: WebViewer
  network: string
  expiresAt: number
}
