import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import sip, { type Connection, type Request, type Response, type Via } from 'sip'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Peer, peerOf, returnPath, type Transport } from './peer.ts'
import { Streams, type TlsMeans } from './streams.ts'

/** What is done with messages that begin something or belong to no transaction. */
export interface Receiver {
  /** A request, but for retransmissions; an ACK has no answer. */
  request(request: Request): void
  /** A response to what this process has not asked, or does not remember. */
  stray(response: Response, from: Peer): void
}

/** Methods that are understood. */
export const allow = 'INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE'

/** 64 × T1: after so long a transaction is over without an answer (RFC 3261 17.1). */
export const transactionMs = 32_000

/** A datagram that is larger would be cut into fragments, which many trunks drop; SDP of ours stays far below. */
const largest = 65_000

/** Where a worker listens. */
export interface Place {
  host: string
  port: number
  publicHost: string
  /** Whether TCP is listened for, on the same port. */
  tcp?: boolean
  /** Keys of TLS, and the port that it is listened for on where there is a certificate. */
  tls?: TlsMeans & { port: number }
}

/**
 * SIP over UDP, TCP and TLS: the transactions, parser and printer of the package `sip` on sockets of our own. The package's own transports
 * have no 'error' listener, answers 404 to whoever has its own address, and resolves names past /etc/hosts.
 */
export class SipEndpoint {
  /** `host:port` by which trunks reach it. */
  readonly sentBy: string
  readonly port: number
  readonly #socket: Socket
  readonly #streams: Streams
  readonly #publicHost: string
  readonly #ports: Record<Transport, number>
  readonly #layer = sip.makeTransactionLayer({})
  readonly #receiver: Receiver
  /** What gives up waiting for an answer, for each request that waits. */
  readonly #waiting = new Set<() => void>()
  #closed = false

  private constructor(socket: Socket, { publicHost, tls }: Place, receiver: Receiver) {
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

  /** Binds a port; rejects when it is taken. */
  static async open(place: Place, receiver: Receiver): Promise<SipEndpoint> {
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

  /** `host:port` by which a peer reaches it by a transport. */
  sentByOf(transport: Transport): string {
    return `${this.#publicHost}:${this.#ports[transport]}`
  }

  /** A Via of ours with a branch that is random enough; the package's has one of a million. */
  via(transport: Transport, branch: string = newBranch(), sentBy = this.sentByOf(transport)): Via {
    const [host = '', port] = sentBy.split(':')
    // What comes back may use the connection, too (RFC 5923 5).
    const params = transport === 'UDP' ? { rport: null } : { rport: null, alias: null }
    // The package sets a branch of its own on each request; it is not to.
    Object.defineProperty(params, 'branch', { enumerable: true, get: () => branch, set: () => {} })
    return { version: '2.0', protocol: transport, host, port: Number(port), params }
  }

  contactOf(transport: Transport): { uri: string; params: Record<string, never> }[] {
    const by = transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`
    return [{ uri: `sip:${this.sentByOf(transport)}${by}`, params: {} }]
  }

  /** Sends a request with its `via`; `onResponse` gets each response, and a 408 when none came. Returns how to forget it. */
  async request(request: Request, hop: string, onResponse: (response: Response) => void): Promise<() => void> {
    const peer = await peerOf(hop)
    if (!peer) {
      queueMicrotask(() => onResponse(sip.makeResponse(request, 503, 'No such host')))
      return () => {}
    }
    const unsent = () => transaction.message(sip.makeResponse(request, 503, 'Not reached'))
    const transaction = this.#layer.createClientTransaction(this.#connection(peer, unsent), request, onResponse)
    return () => transaction.shutdown()
  }

  /** Sends a request and waits for its final response; 408 when there is none in time. `again` gets each 2xx after the first. */
  async ask(request: Request, hop: string, again?: (response: Response) => void): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>()
    // The package forgets its own time-out once a provisional response is there.
    const expire = () => resolve(sip.makeResponse(request, 408, 'Request Timeout'))
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

  /** Sends an ACK to a 2xx, which is a transaction of its own and has no answer. */
  async ack(request: Request, hop: string): Promise<void> {
    const peer = await peerOf(hop)
    if (peer) this.#send(request, peer)
  }

  /** Sends a message straight to an address. */
  sendTo(message: Request, peer: Peer): void {
    this.#send(message, peer)
  }

  /** Answers a request; only once with a final status. */
  respond(request: Request, status: number, reason: string, more: { headers?: object; content?: string } = {}): void {
    const headers = { allow, ...more.headers }
    const response = sip.makeResponse(request, status, reason, { ...more, headers })
    this.#layer.getServer(response as never)?.send(response)
  }

  #receive(data: Buffer, from: Peer): void {
    try {
      const message = data.length > largest ? undefined : sip.parse(data)
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

  /** What a transaction sends by; `unsent` is told of a message that no connection took (RFC 3261 8.1.3.1). */
  #connection(peer: Peer, unsent?: () => void): Connection {
    return { protocol: peer.transport, send: (message) => this.#send(message, peer, unsent), release: () => {} }
  }

  #send(message: Request | Response, peer: Peer, unsent?: () => void): void {
    if (this.#closed) return
    // As it is parsed: a byte is a character, so that lengths are right whatever the text is.
    const datagram = Buffer.from(sip.stringify(message), 'latin1')
    if (peer.transport !== 'UDP') {
      void this.#streams.send(datagram, peer).then((sent) => !sent && !this.#closed && unsent?.())
      return
    }
    this.#socket.send(datagram, peer.port, peer.address, (error) => {
      if (error) log.debug({ err: describe(error) }, 'a datagram could not be sent')
    })
  }

  /** Lets go of the port; who still waits for an answer has none. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#layer.destroy()
    for (const expire of this.#waiting) expire()
    this.#streams.close()
    this.#socket.close()
  }
}

/** A branch as RFC 3261 8.1.1.7 has it: unique in space and time. */
export const newBranch = (): string => `z9hG4bK${randomBytes(12).toString('hex')}`

/** Whether a message has what all have (RFC 3261 8.1.1), in a shape that the package can handle. */
const isSound = ({ via, from, to, cseq, 'call-id': callId }: Request['headers']): boolean =>
  Array.isArray(via) && !!via[0]?.params && !!from?.params && !!to?.params && !!callId && Number.isInteger(cseq?.seq)
