import { openLink } from './link.js'
import { LocalMedia } from './local-media.js'
import { Publisher } from './publisher.js'
import { Requests } from './requests.js'
import { endingOf, isFinal, RoomError } from './room-error.js'
import { Subscriber } from './subscriber.js'
import { jsonOf, roomOf, withTexts } from './texts.js'

/** Milliseconds for which the first connection is tried again, and the longest wait between two tries; each is twice as long as the one before. */
const [patienceMs, longestWaitMs] = [15_000, 5_000]

/** The origin that served this file. */
const home = new URL(import.meta.url).origin

/**
 * A room as one client sees it. It comes back by itself when its gateway or the network was away, and sends again what it
 * sent. Events, all with a `detail`: `state`, `participant`, `media`, `local`, `speaking`, `muted`, `role`, `air`, `chat`,
 * `data`, `settings`, `waiting`, `trouble`.
 */
export class Room extends Requests {
  /** `connecting`, `waiting`, `joined`, `reconnecting` or `ended`. */
  state = 'connecting'
  /** `{ roomId, name, maxParticipants, record }`. */
  info
  /** This client's own participant with what it `can` do. */
  self
  /** The others, by their participantId. */
  participants = new Map()
  /** Tracks that come, by participantId and then by source. */
  media = new Map()
  air = { broadcast: false, recording: false }
  /** `{ chat, waitingRoom, layout }`. */
  settings = { chat: 'all', waitingRoom: false, layout: 'grid' }
  /** What was written to all or to this client, the last of it. */
  chat = []
  /** For hosts: who waits to be let in. */
  waiting = []
  /** Resolves when the room is joined for the first time. */
  joined

  #options
  #onWaiting
  #link
  #publisher
  #subscriber
  #local
  #preferred = new Map()
  #over = new AbortController()
  #wake = () => {}

  constructor({ token, roomId = roomOf(token), base = home, signal, onWaiting = () => {} }) {
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
    const { promise, resolve, reject } = Promise.withResolvers()
    this.joined = promise
    promise.catch(() => {})
    signal?.addEventListener('abort', () => this.#end(new RoomError('left', 'The client left the room.')), {
      once: true,
    })
    globalThis.addEventListener?.('online', () => this.#wake())
    this.#stay(resolve).catch((error) => {
      reject(error)
      this.#end(error)
    })
  }

  /** What this client sends, by source: `{ track, muted }`. */
  get local() {
    return this.#local.sources
  }

  /** Captures a microphone, a camera or a screen and sends it; one that is sent gets another device or is unmuted. */
  start(source, options) {
    return this.#local.start(source, options)
  }

  /** Sends a track of one's own as that source. */
  publish(source, track) {
    return this.#local.publish(source, track)
  }

  /** Stops sending a source and gives its device back. */
  stop(source) {
    return this.#local.stop(source)
  }

  /** Others hear or see nothing of it; a camera is given back until it is unmuted. */
  setMuted(source, muted) {
    return this.#local.setMuted(source, muted)
  }

  /** Which layer of somebody's picture is wanted: `low`, `middle` or `high`; `none` while it is not shown: then nothing of it comes. */
  prefer(participantId, source, layer) {
    this.#preferred.set(`${participantId} ${source}`, layer)
    this.#subscriber?.choose()
  }

  /** Leaves, and gives all devices back. */
  leave() {
    this.#end(new RoomError('left', 'The client left the room.'))
  }

  /** What the browser measures of both connections. */
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

  /** One session after the other, until there is an end. */
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
      if (this.state !== 'ended') await this.#pause(tries, retryAfter)
    }
  }

  /** Waits until a session is over; returns how long it has lasted, throws when that is the end. */
  async #session(link) {
    const begun = performance.now()
    const code = await link.closed
    this.#quit()
    const ending = endingOf(code)
    if (ending && this.state !== 'ended') throw ending
    if (this.state !== 'ended') this.#enter('reconnecting')
    return performance.now() - begun
  }

  /** Waits before another try; not all clients of a gateway that is gone come at the same instant. */
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
    this.#subscriber = new Subscriber({
      link,
      iceServers,
      preferred: this.#preferred,
      lost,
      changed: (...what) => this.#received(...what),
    })
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
    // A newer gateway may say more than this client understands.
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
