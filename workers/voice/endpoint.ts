import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Peer, resolvePeer, returnPath, type Transport } from './peer.ts'
import {
  type Connection,
  createResponse,
  createTransactions,
  parseMessage,
  type Request,
  type Response,
  type Via,
  writeMessage,
} from './sip/library.ts'
import { Streams, type TlsKeys } from './streams.ts'

export interface Receiver {
  /** Called for each request, but not for retransmissions. An ACK gets no response. */
  request(request: Request): void
  stray(response: Response, from: Peer): void
}

export const allowedMethods = 'INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE'

/** Time in milliseconds (64 × T1) after which a transaction ends without a response (RFC 3261 17.1). */
export const transactionMs = 32_000

/**
 * Maximum size of a datagram in bytes. Larger datagrams would be fragmented, and many trunks drop fragments. Our SDP is
 * much smaller.
 */
const largest = 65_000

export interface ListenOptions {
  host: string
  port: number
  publicHost: string
  tcp?: boolean
  /** TLS keys and the port for TLS. TLS is used if there is a certificate. */
  tls?: TlsKeys & { port: number }
}

/** SIP over UDP, TCP and TLS. */
export class SipEndpoint {
  readonly sentBy: string
  readonly port: number
  readonly #socket: Socket
  readonly #streams: Streams
  readonly #publicHost: string
  readonly #ports: Record<Transport, number>
  readonly #layer = createTransactions()
  readonly #receiver: Receiver
  readonly #waiting = new Set<() => void>()
  #closed = false

  private constructor(socket: Socket, { publicHost, tls }: ListenOptions, receiver: Receiver) {
    this.#socket = socket
    this.#receiver = receiver
    this.#publicHost = publicHost
    this.#streams = new Streams({ message: (bytes, from) => this.#receive(bytes, from) }, tls ?? {})
    this.port = socket.address().port
    this.#ports = { UDP: this.port, TCP: this.port, TLS: tls?.port ?? this.port }
    this.sentBy = `${publicHost}:${this.port}`
    socket.on('message', (data, { address, port }) => this.#receive(data, { transport: 'UDP', address, port }))
    socket.on('error', (error) => log.warn({ err: describe(error) }, 'the SIP socket failed'))
  }

  static async open(place: ListenOptions, receiver: Receiver): Promise<SipEndpoint> {
    const { host, port, tcp, tls } = place
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    socket.bind(port, host)
    await once(socket, 'listening')
    const endpoint = new SipEndpoint(socket, place, receiver)
    try {
      if (tcp) endpoint.#ports.TCP = await endpoint.#streams.listen('TCP', { host, port: endpoint.port })
      if (tls?.cert) endpoint.#ports.TLS = await endpoint.#streams.listen('TLS', { host, port: tls.port })
      return endpoint
    } catch (error) {
      endpoint.close()
      throw error
    }
  }

  /** Returns the `host:port` at which peers reach this endpoint over a transport. */
  sentByOf(transport: Transport): string {
    return `${this.#publicHost}:${this.#ports[transport]}`
  }

  /** Returns a Via header with a sufficiently random branch. The package's own branches have only a million values. */
  via(transport: Transport, branch: string = newBranch(), sentBy = this.sentByOf(transport)): Via {
    const [host = '', port] = sentBy.split(':')
    // Responses can use the same connection (RFC 5923 5).
    const params = transport === 'UDP' ? { rport: null } : { rport: null, alias: null }
    // Prevents the package from replacing the branch of each request.
    Object.defineProperty(params, 'branch', { enumerable: true, get: () => branch, set: () => {} })
    return { version: '2.0', protocol: transport, host, port: Number(port), params }
  }

  contactOf(transport: Transport): { uri: string; params: Record<string, never> }[] {
    const by = transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`
    return [{ uri: `sip:${this.sentByOf(transport)}${by}`, params: {} }]
  }

  /**
   * Sends a request with its `via`. `onResponse` receives each response, or a 408 if there is no response. Returns a
   * function that stops waiting.
   */
  async request(request: Request, hop: string, onResponse: (response: Response) => void): Promise<() => void> {
    const peer = await resolvePeer(hop)
    if (!peer) {
      queueMicrotask(() => onResponse(createResponse(request, 503, 'No such host')))
      return () => {}
    }
    const unsent = () => transaction.message(createResponse(request, 503, 'Not reached'))
    const transaction = this.#layer.createClientTransaction(this.#connection(peer, unsent), request, onResponse)
    return () => transaction.shutdown()
  }

  /**
   * Sends a request and returns its final response, or a 408 after the timeout. `again` receives each 2xx after the
   * first one.
   */
  async ask(request: Request, hop: string, again?: (response: Response) => void): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>()
    // The package stops its own timer at the first provisional response.
    const expire = () => resolve(createResponse(request, 408, 'Request Timeout'))
    const late = setTimeout(expire, transactionMs + 500)
    this.#waiting.add(expire)
    let answered = false
    const forget = await this.request(request, hop, (response) => {
      if (answered) again?.(response)
      else if (response.status >= 200) {
        answered = true
        resolve(response)
      }
    })
    try {
      return await promise
    } finally {
      clearTimeout(late)
      this.#waiting.delete(expire)
      if ((await promise).status === 408) forget()
    }
  }

  async ack(request: Request, hop: string): Promise<void> {
    const peer = await resolvePeer(hop)
    if (peer) this.#send(request, peer)
  }

  sendTo(message: Request, peer: Peer): void {
    this.#send(message, peer)
  }

  /** Responds to a request. Sends only one final status. */
  respond(request: Request, status: number, reason: string, more: { headers?: object; content?: string } = {}): void {
    const headers = { allow: allowedMethods, ...more.headers }
    const response = createResponse(request, status, reason, { ...more, headers })
    this.#layer.getServer(response as never)?.send(response)
  }

  #receive(data: Buffer, from: Peer): void {
    try {
      const message = data.length > largest ? undefined : parseMessage(data)
      if (!message || !isSound(message.headers)) return
      if (message.method === undefined) {
        const transaction = this.#layer.getClient(message)
        if (transaction) transaction.message(message, from)
        else this.#receiver.stray(message, from)
        return
      }
      const known = this.#layer.getServer(message)
      if (message.method === 'ACK') {
        known?.message(message)
        this.#receiver.request(message)
      } else if (known) {
        known.message(message)
      } else {
        this.#layer.createServerTransaction(message, this.#connection(returnPath(message, from)))
        this.#receiver.request(message)
      }
    } catch (error) {
      log.debug({ err: describe(error) }, 'a datagram that is not SIP was ignored')
    }
  }

  /** Returns the connection for a transaction. `unsent` is called if a message could not be sent (RFC 3261 8.1.3.1). */
  #connection(peer: Peer, unsent?: () => void): Connection {
    return { protocol: peer.transport, send: (message) => this.#send(message, peer, unsent), release: () => {} }
  }

  #send(message: Request | Response, peer: Peer, unsent?: () => void): void {
    if (this.#closed) return
    // As in the parser, each byte is one character, so that lengths are correct for any text.
    const datagram = Buffer.from(writeMessage(message), 'latin1')
    if (peer.transport !== 'UDP') {
      void this.#streams.send(datagram, peer).then((sent) => !sent && !this.#closed && unsent?.())
      return
    }
    this.#socket.send(datagram, peer.port, peer.address, (error) => {
      if (error) log.debug({ err: describe(error) }, 'a datagram could not be sent')
    })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#layer.destroy()
    for (const expire of this.#waiting) expire()
    this.#streams.close()
    this.#socket.close()
  }
}

/** Returns a globally unique branch (RFC 3261 8.1.1.7). */
export const newBranch = (): string => `z9hG4bK${randomBytes(12).toString('hex')}`

/** True if a message has the mandatory headers (RFC 3261 8.1.1) in a form that the package can process. */
const isSound = ({ via, from, to, cseq, 'call-id': callId }: Request['headers']): boolean =>
  Array.isArray(via) && !!via[0]?.params && !!from?.params && !!to?.params && !!callId && Number.isInteger(cseq?.seq)
