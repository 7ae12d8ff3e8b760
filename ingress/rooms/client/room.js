import { openLink } from './link.js'
import { LocalMedia } from './local-media.js'
import { Publisher } from './publisher.js'
import { Requests } from './requests.js'
import { endingOf, isFinal, RoomError } from './room-error.js'
import { Subscriber } from './subscriber.js'
import { jsonOf, roomOf, withTexts } from './texts.js'

/** @import * as types from './types.js' */

/**
 * Time in milliseconds for which the first connection is retried, and the maximum delay before a retry. The delay
 * doubles with each retry.
 */
const [patienceMs, longestWaitMs] = [15_000, 5_000]

/** A client's view of a room. If the gateway or the network fails, the room reconnects and sends its media again. */
export class Room extends Requests {
  #options
  #onWaiting
  #link
  #publisher
  #subscriber
  #local
  #preferred = new Map()
  #over = new AbortController()
  /** @type {(value?: unknown) => void} */
  #wake = () => {}

  /** @param {types.JoinOptions} options */
  constructor({ token, roomId = roomOf(token), base = new URL(import.meta.url).origin, signal, onWaiting = () => {} }) {
    super((message) => this.#ask(message))
    this.#options = { roomId, token, base, signal: this.#over.signal }
    this.#onWaiting = onWaiting
    this.#local = new LocalMedia({
      can: () => this.self?.can.publish === true,
      changed: (source) => this.#emit('local', { source }),
      failed: (error) => this.#emit('trouble', { error }),
      send: (wanted) => this.#publisher?.send(wanted),
      tell: (states) => this.#tellStates(states),
    })
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve, reject } = Promise.withResolvers()
    /** Resolves when the room is joined for the first time. */
    this.joined = promise
    promise.catch(() => {})
    signal?.addEventListener('abort', () => this.leave(), { once: true })
    globalThis.addEventListener?.('online', () => this.#wake())
    this.#stay(resolve).catch((error) => {
      reject(error)
      this.#end(error)
    })
  }

  /** Media that this client sends. */
  get local() {
    return this.#local.sources
  }

  /**
   * Captures a device and sends it. If the source is already sent, changes its device or unmutes it.
   *
   * @param {types.Source} source
   * @param {types.CaptureOptions} [options]
   */
  start(source, options) {
    return this.#local.start(source, options)
  }

  /**
   * Sends your own track as this source.
   *
   * @param {types.Source} source
   * @param {MediaStreamTrack} track
   */
  publish(source, track) {
    return this.#local.publish(source, track)
  }

  /** @param {types.Source} source */
  stop(source) {
    return this.#local.stop(source)
  }

  /**
   * Mutes or unmutes a source. A muted camera is released until it is unmuted.
   *
   * @param {types.Source} source
   * @param {boolean} muted
   */
  setMuted(source, muted) {
    return this.#local.setMuted(source, muted)
  }

  /**
   * Selects the layer of a video, for example by the size at which it is shown. With `none`, the video is not received
   * until you select another layer. The selection stays after a reconnect.
   *
   * @param {string} participantId
   * @param {types.Source} source
   * @param {types.Layer} layer
   */
  prefer(participantId, source, layer) {
    this.#preferred.set(`${participantId} ${source}`, layer)
    this.#subscriber?.choose()
  }

  leave() {
    this.#end(new RoomError('left', 'The client left the room.'))
  }

  /** @returns {Promise<Record<'sent' | 'received', RTCStatsReport | undefined>>} */
  async stats() {
    const [sent, received] = await Promise.all([this.#publisher?.stats(), this.#subscriber?.stats()])
    return { sent, received }
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  #ask(message) {
    if (!this.#link) return Promise.reject(new RoomError('network', 'The connection to the room was lost.'))
    return this.#link.ask(message)
  }

  #enter(state, detail = {}) {
    this.state = state
    this.#emit('state', { state, ...detail })
  }

  #end(error) {
    if (this.state === 'ended') return
    this.#link?.tell({ type: 'leave' })
    this.#quit()
    this.#over.abort(error)
    this.#local.release()
    this.#enter('ended', { error })
    this.#wake()
  }

  /** Opens one session after the other until the room ends. */
  async #stay(entered) {
    const begun = performance.now()
    for (let tries = 0; this.state !== 'ended'; tries++) {
      let retryAfter
      try {
        const { link, joined } = await openLink(
          this.#options,
          (message) => this.#hear(message),
          (room) => this.#wait(room),
        )
        this.#begin(link, joined)
        entered()
        const lasted = await this.#session(link)
        if (lasted > longestWaitMs) tries = 0
      } catch (error) {
        const isLate = this.state === 'connecting' && performance.now() - begun > patienceMs
        if (this.#over.signal.aborted || isFinal(error) || isLate) throw error
        retryAfter = error.retryAfter
      }
      if (!this.#over.signal.aborted) await this.#pause(tries, retryAfter)
    }
  }

  /** Waits until a session ends and returns its duration in milliseconds. Throws if the room has ended. */
  async #session(link) {
    const begun = performance.now()
    const code = await link.closed
    this.#quit()
    const ending = endingOf(code)
    if (ending && this.state !== 'ended') throw ending
    if (this.state !== 'ended') this.#enter('reconnecting')
    return performance.now() - begun
  }

  /** Waits before the next attempt. The delay is random, so that clients do not reconnect at the same time. */
  async #pause(tries, retryAfter = 0) {
    const wait = Math.max(Math.min(250 * 2 ** tries, longestWaitMs), Math.min(retryAfter * 1000, longestWaitMs))
    const { promise, resolve } = Promise.withResolvers()
    this.#wake = resolve
    const timer = setTimeout(resolve, wait * (0.5 + Math.random() / 2))
    await promise
    clearTimeout(timer)
  }

  #wait(room) {
    this.info = room
    this.#enter('waiting')
    this.#onWaiting(room)
  }

  #begin(link, { room, self, participants, iceServers, broadcast, recording, settings, chat = [] }) {
    this.#link = link
    this.info = room
    this.self = self
    this.participants = new Map(participants.map((one) => [one.participantId, one]))
    this.participants.delete(self.participantId)
    this.air = { broadcast, recording }
    this.settings = settings ?? this.settings
    this.waiting = []
    this.chat = withTexts(this.chat, chat)
    const lost = () => link.drop()
    this.#publisher = new Publisher({ link, iceServers, lost })
    const changed = this.#received.bind(this)
    this.#subscriber = new Subscriber({ link, iceServers, lost, preferred: this.#preferred, changed })
    this.#enter('joined')
    this.#local.sendAgain().catch((error) => this.#emit('trouble', { error }))
  }

  #quit() {
    this.#publisher?.close()
    this.#subscriber?.close()
    this.#publisher = undefined
    this.#subscriber = undefined
    this.#link?.close()
    this.#link = undefined
  }

  async #tellStates(states) {
    const tracks = states.flatMap(({ source, muted }) => {
      const mid = this.#publisher?.midOf(source)
      return mid ? [{ mid, muted }] : []
    })
    if (tracks.length > 0) await this.#ask({ type: 'state', tracks })
  }

  #received(participantId, source, track) {
    const tracks = this.media.get(participantId) ?? new Map()
    if (track) tracks.set(source, track)
    else tracks.delete(source)
    if (tracks.size > 0) this.media.set(participantId, tracks)
    else this.media.delete(participantId)
    this.#emit('media', { participantId, source, track })
  }

  #hear(message) {
    const { type, ...detail } = message
    const heard = {
      offer: () => this.#subscriber?.take(detail),
      participant: () => this.#know(detail),
      speaking: () => this.#emit('speaking', detail),
      muted: () => this.#obey(detail),
      role: () => this.#change(detail),
      air: () => {
        this.air = detail
        this.#emit('air', detail)
      },
      chat: () => {
        this.chat = withTexts(this.chat, [detail])
        this.#emit('chat', detail)
      },
      data: () => this.#emit('data', { ...detail, data: jsonOf(detail.data) }),
      settings: () => {
        const { can, ...settings } = detail
        this.settings = settings
        this.self = { ...this.self, can }
        this.#emit('settings', settings)
      },
      waiting: () => {
        this.waiting = detail.waiting
        this.#emit('waiting', detail)
      },
      error: () => this.#fail(detail),
    }
    // A newer gateway can send messages that this client does not know.
    if (Object.hasOwn(heard, type)) heard[type]()
  }

  #know({ event, participant, reason }) {
    const { participantId } = participant
    if (participantId === this.self.participantId) this.self = { ...this.self, ...participant }
    else if (event === 'left') this.participants.delete(participantId)
    else this.participants.set(participantId, participant)
    this.#emit('participant', { event, participant, reason })
  }

  #obey({ kind, by }) {
    this.#local.muteKind(kind)
    this.#emit('muted', { kind, by })
  }

  #change({ role, can }) {
    this.self = { ...this.self, role, can }
    if (!can.moderate) this.waiting = []
    if (!can.publish) {
      this.#local.release()
      this.#publisher?.send(new Map()).catch(() => {})
    }
    this.#emit('role', { role, can })
  }

  #fail({ code, message, details }) {
    this.#emit('trouble', { error: new RoomError(code, message, { details }) })
    if (code === 'media_lost') this.#link?.drop()
  }
}
