import type { RawData, WebSocket } from 'ws'
import { Bucket } from './bucket.ts'
import {
  type ClientMessage,
  type CloseCode,
  closeCodes,
  ClientMessage as Message,
  type ServerMessage,
} from './messages.ts'

/**
 * Interval in milliseconds between checks of a peer. Number of consecutive checks without a message after which the
 * peer is pinged, and after which the peer counts as gone. Time is not used, because it would include pauses in which
 * this process read nothing.
 */
const [lookMs, unpinged, mostSilent] = [1_000, 1, 4]

/** Maximum length in characters of a message that has no session description. */
const longest = 65_536

/**
 * Maximum numbers of messages per second, and in a burst. After a pause of the network or of this process, the messages
 * of several seconds arrive together.
 */
const [perSecond, atOnce] = [50, 100]

const mostIllFormed = 3

const mostBuffered = 4 * 1024 ** 2

export class ClientSocket {
  readonly #socket: WebSocket
  readonly #hear: (message: ClientMessage) => void
  readonly #timer: NodeJS.Timeout
  readonly #messages = new Bucket(perSecond, atOnce)
  #silent = 0
  #illFormed = 0
  #ended = false

  constructor(socket: WebSocket, heard: { message(message: ClientMessage): void; end(): void }) {
    this.#socket = socket
    this.#hear = heard.message
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    socket.on('pong', () => {
      this.#silent = 0
    })
    // Frames can violate RFC 6455. The socket closes itself.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(this.#timer)
      this.#ended = true
      heard.end()
    })
    this.#timer = setInterval(() => this.#look(), lookMs)
  }

  get ended(): boolean {
    return this.#ended
  }

  send(message: ServerMessage): void {
    if (this.#ended) return
    if (this.#socket.bufferedAmount > mostBuffered) this.#socket.terminate()
    else this.#socket.send(JSON.stringify(message))
  }

  close(code: CloseCode, reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.close(closeCodes[code], reason)
    setTimeout(() => this.#socket.terminate(), 500).unref()
  }

  /** Closes the connection of a client that sent `leave`. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.close(1000)
    setTimeout(() => this.#socket.terminate(), 500).unref()
  }

  #look(): void {
    this.#silent += 1
    if (this.#silent > mostSilent) this.#socket.terminate()
    else if (this.#silent > unpinged) this.#socket.ping()
  }

  #take(data: RawData, isBinary: boolean): void {
    this.#silent = 0
    if (this.#ended) return
    if (!this.#messages.has(1)) {
      this.close('messages', 'too many messages')
      return
    }
    this.#messages.spend(1)
    const message = isBinary ? 'messages must be text' : parse(String(data))
    if (typeof message === 'string') this.#refuse(message)
    else if ('faults' in message) this.#refuse(message.text, message.faults)
    else this.#hear(message)
  }

  #refuse(message: string, details?: unknown): void {
    this.send({ type: 'error', code: 'bad_request', message, details })
    this.#illFormed += 1
    if (this.#illFormed >= mostIllFormed) this.close('messages', 'invalid messages')
  }
}

function parse(text: string): ClientMessage | string | { text: string; faults: { field: string; issue: string }[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'the message is not JSON'
  }
  const parsed = Message.safeParse(json)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'type', issue: message }))
    return { text: faults.map(({ field, issue }) => `${field}: ${issue}`).join('; '), faults }
  }
  const describes = parsed.data.type === 'publish' || parsed.data.type === 'answer'
  if (!describes && text.length > longest) return `the message has more than ${longest} characters`
  return parsed.data
}
