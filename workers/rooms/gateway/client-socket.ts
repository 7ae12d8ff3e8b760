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
 * Milliseconds between looks at a peer, and looks in a row without a word from them before they are pinged, and are gone. Looks are
 * counted, as a clock would also count the time for which this process stood still and read nothing.
 */
const [lookMs, unpinged, mostSilent] = [1_000, 1, 4]

/** Characters of a message that describes no session. */
const longest = 65_536

/** Messages a second, and at once: behind a stall of the network or of this process, those of seconds come together. */
const [perSecond, atOnce] = [50, 100]

/** Ill-formed messages that end a connection. */
const mostIllFormed = 3

/** Bytes that wait for a peer that reads nothing. */
const mostBuffered = 4 * 1024 ** 2

/** A client's connection: it is pinged, and what it says is parsed and bounded. */
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
    // Frames that break RFC 6455; the socket closes by itself.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(this.#timer)
      this.#ended = true
      heard.end()
    })
    this.#timer = setInterval(() => this.#look(), lookMs)
  }

  /** Whether it was closed, by either side. */
  get ended(): boolean {
    return this.#ended
  }

  send(message: ServerMessage): void {
    if (this.#ended) return
    if (this.#socket.bufferedAmount > mostBuffered) this.#socket.terminate()
    else this.#socket.send(JSON.stringify(message))
  }

  /** Ends the connection; a peer that does not answer is cut off. */
  close(code: CloseCode, reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket.close(closeCodes[code], reason)
    setTimeout(() => this.#socket.terminate(), 500).unref()
  }

  /** Ends the connection of one who has said that they leave. */
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
    const message = isBinary ? 'messages are text' : parse(String(data))
    if (typeof message === 'string') this.#refuse(message)
    else if ('faults' in message) this.#refuse(message.text, message.faults)
    else this.#hear(message)
  }

  #refuse(message: string, details?: unknown): void {
    this.send({ type: 'error', code: 'bad_request', message, details })
    this.#illFormed += 1
    if (this.#illFormed >= mostIllFormed) this.close('messages', 'ill-formed messages')
  }
}

function parse(text: string): ClientMessage | string | { text: string; faults: { field: string; issue: string }[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'the message is no JSON'
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
