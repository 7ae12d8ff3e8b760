import { endingOf, RoomError } from './room-error.js'

const answerMs = 10_000
/** Interval in milliseconds at which the client checks the gateway. Pages cannot see the gateway's own pings. */
const beatMs = 10_000

/**
 * Sends a request about a room. Throws a `RoomError` with the status of the response.
 *
 * @param {{ base: string, roomId: string, signal?: AbortSignal }} room
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function askAbout({ base, roomId, signal }, path, options) {
  const address = `${base}/v1/stream/rooms/${encodeURIComponent(roomId)}/${path}`
  const reply = await fetch(address, { credentials: 'omit', cache: 'no-store', signal, ...options }).catch((error) => {
    signal?.throwIfAborted()
    throw new RoomError('network', String(error))
  })
  const answer = await reply.json().catch(() => ({}))
  if (reply.ok) return answer
  const { code = 'server_error', message = `The server returned status ${reply.status}.`, details } = answer.error ?? {}
  const retryAfter = Number(reply.headers.get('retry-after')) || undefined
  throw Object.assign(new RoomError(code, message, { details, retryAfter }), { status: reply.status })
}

/**
 * Returns the name of a room and the URL of its gateway. Throws a `RoomError` if the token is rejected.
 *
 * @param {{ base: string, roomId: string, token: string, signal?: AbortSignal }} options
 * @returns {Promise<{ name?: string, url: string }>}
 */
export const findRoom = ({ token, ...room }) => askAbout(room, `connect?${new URLSearchParams({ token })}`)

export class Link {
  #socket
  #beat
  #asked = new Map()
  #ids = 0
  #hear
  /** Resolves with the close code when the session has ended. */
  closed

  constructor(socket, hear) {
    this.#socket = socket
    this.#hear = hear
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => {
        clearInterval(this.#beat)
        const error = endingOf(code) ?? new RoomError('network', 'The connection to the room was lost.')
        for (const { reject } of this.#asked.values()) reject(error)
        this.#asked.clear()
        resolve(code)
      })
    })
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(data)))
    this.#beat = setInterval(() => {
      this.ask({ type: 'state', tracks: [] }).catch(({ code }) => code === 'timeout' && this.drop())
    }, beatMs)
  }

  #take(message) {
    const asked = message.id === undefined ? undefined : this.#asked.get(message.id)
    if (!asked) return this.#hear(message)
    this.#asked.delete(message.id)
    if (message.type !== 'error') asked.resolve(message)
    else asked.reject(new RoomError(message.code, message.message, { details: message.details }))
  }

  /** Sends a message. A message to an ended session is discarded. */
  tell(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  ask(message) {
    const id = String(++this.#ids)
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== WebSocket.OPEN)
        return reject(new RoomError('network', 'The connection to the room was lost.'))
      const late = setTimeout(() => {
        this.#asked.delete(id)
        reject(new RoomError('timeout', 'The gateway did not respond.'))
      }, answerMs)
      const settle = (how) => (value) => {
        clearTimeout(late)
        how(value)
      }
      this.#asked.set(id, { resolve: settle(resolve), reject: settle(reject) })
      this.tell({ ...message, id })
    })
  }

  close() {
    clearInterval(this.#beat)
    this.#socket.close(1000)
  }

  /**
   * Ends a failed session. Otherwise, if the gateway is unreachable, the browser would report the close only after
   * minutes.
   */
  drop() {
    this.#socket.close(4900)
    this.#socket.dispatchEvent(new CloseEvent('close', { code: 4900 }))
  }
}

/**
 * Opens a session: finds the gateway of the room and joins there. Returns the session and the `joined` message. `waits`
 * is called if a host must admit the client first.
 *
 * @param {{ base: string, roomId: string, token: string, signal: AbortSignal }} options
 * @param {(message: any) => void} hear
 * @param {(room: { roomId: string, name: string }) => void} [waits]
 * @returns {Promise<{ link: Link, joined: any }>}
 */
export async function openLink(options, hear, waits = () => {}) {
  const { url } = await findRoom(options)
  const socket = new WebSocket(url, 'millrace.room.1')
  return await new Promise((resolve, reject) => {
    const fail = (error) => {
      clearTimeout(late)
      clearInterval(beat)
      socket.close()
      reject(error)
    }
    let beat
    let isHeard = true
    const late = setTimeout(() => fail(new RoomError('timeout', 'The gateway did not respond.')), answerMs)
    const giveUp = () => fail(options.signal.reason)
    options.signal?.addEventListener('abort', giveUp, { once: true })
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'join', token: options.token })))
    socket.addEventListener('close', ({ code, reason }) =>
      fail(endingOf(code) ?? new RoomError('network', reason || 'The gateway rejected the connection.')),
    )
    const first = ({ data }) => {
      const message = JSON.parse(data)
      isHeard = true
      if (message.type === 'wait') {
        clearTimeout(late)
        beat = setInterval(() => {
          if (!isHeard) return fail(new RoomError('network', 'The connection to the room was lost.'))
          isHeard = false
          socket.send(JSON.stringify({ type: 'state', id: 'waiting', tracks: [] }))
        }, beatMs)
        waits(message.room)
      }
      if (message.type !== 'joined') return
      clearTimeout(late)
      clearInterval(beat)
      socket.removeEventListener('message', first)
      options.signal?.removeEventListener('abort', giveUp)
      resolve({ link: new Link(socket, hear), joined: message })
    }
    socket.addEventListener('message', first)
  })
}
