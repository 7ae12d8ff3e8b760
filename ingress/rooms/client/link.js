import { endingOf, RoomError } from './room-error.js'

/** Milliseconds that an answer may take. */
const answerMs = 10_000
/** How often the gateway is asked whether it is there, as browsers do not show its pings. */
const beatMs = 10_000

/** Where the room is now. */
async function whereIs({ base, roomId, token, signal }) {
  const address = `${base}/v1/stream/rooms/${encodeURIComponent(roomId)}/connect?${new URLSearchParams({ token })}`
  const reply = await fetch(address, { credentials: 'omit', cache: 'no-store', signal }).catch((error) => {
    signal?.throwIfAborted()
    throw new RoomError('network', String(error))
  })
  const answer = await reply.json().catch(() => ({}))
  if (reply.ok) return answer.url
  const { code = 'server_error', message = `The server returned status ${reply.status}.`, details } = answer.error ?? {}
  const retryAfter = Number(reply.headers.get('retry-after')) || undefined
  throw Object.assign(new RoomError(code, message, { details, retryAfter }), { status: reply.status })
}

/** One session with a gateway: messages, and answers to those that have an id. */
export class Link {
  #socket
  #beat
  #asked = new Map()
  #ids = 0
  #hear
  /** Resolves with the close code when the session is over. */
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

  /** Sends; what is sent to a session that is over is nobody's. */
  tell(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  /** Sends and waits for the answer. */
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

  /** Ends the session in good order. */
  close() {
    clearInterval(this.#beat)
    this.#socket.close(1000)
  }

  /** Ends a session that has failed; a socket whose other end is gone would take minutes to say so. */
  drop() {
    this.#socket.close(4900)
    this.#socket.dispatchEvent(new CloseEvent('close', { code: 4900 }))
  }
}

/**
 * Opens a session: asks where the room is, and joins there. Returns it with what the gateway said at the door; `waits` is called
 * when it has one wait there first.
 */
export async function openLink(options, hear, waits = () => {}) {
  const socket = new WebSocket(await whereIs(options), 'millrace.room.1')
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
