import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import sip, { type Connection, type Request, type Response, type Via } from 'sip'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Peer, peerOf, returnPath } from './peer.ts'

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

/**
 * SIP over UDP: the transactions, parser and printer of the package `sip` on a socket of our own. The package's own transport
 * has no 'error' listener, answers 404 to whoever has its own address, and resolves names past /etc/hosts.
 */
export class SipEndpoint {
  /** `host:port` by which trunks reach it. */
  readonly sentBy: string
  readonly port: number
  readonly #socket: Socket
  readonly #layer = sip.makeTransactionLayer({})
  readonly #receiver: Receiver
  /** What gives up waiting for an answer, for each request that waits. */
  readonly #waiting = new Set<() => void>()
  #closed = false

  private constructor(socket: Socket, publicHost: string, receiver: Receiver) {
    this.#socket = socket
    this.#receiver = receiver
    this.port = socket.address().port
    this.sentBy = `${publicHost}:${this.port}`
    socket.on('message', (data, from) => this.#receive(data, from))
    socket.on('error', (error) => log.warn({ err: describe(error) }, 'the SIP socket has a fault'))
  }

  /** Binds a port; rejects when it is taken. */
  static async open(
    { host, port, publicHost }: { host: string; port: number; publicHost: string },
    receiver: Receiver,
  ): Promise<SipEndpoint> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
    socket.bind(port, host)
    await once(socket, 'listening')
    return new SipEndpoint(socket, publicHost, receiver)
  }

  /** A Via of ours with a branch that is random enough; the package's has one of a million. */
  via(branch: string = newBranch(), sentBy = this.sentBy): Via {
    const [host = '', port] = sentBy.split(':')
    const params = { rport: null }
    // The package sets a branch of its own on each request; it is not to.
    Object.defineProperty(params, 'branch', { enumerable: true, get: () => branch, set: () => {} })
    return { version: '2.0', protocol: 'UDP', host, port: Number(port), params }
  }

  get contact(): { uri: string; params: Record<string, never> }[] {
    return [{ uri: `sip:${this.sentBy}`, params: {} }]
  }

  /** Sends a request with its `via`; `onResponse` gets each response, and a 408 when none came. Returns how to forget it. */
  async request(request: Request, hop: string, onResponse: (response: Response) => void): Promise<() => void> {
    const peer = await peerOf(hop)
    if (!peer) {
      queueMicrotask(() => onResponse(sip.makeResponse(request, 503, 'No such host')))
      return () => {}
    }
    const transaction = this.#layer.createClientTransaction(this.#connection(peer), request, onResponse)
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
      log.debug({ err: describe(error) }, 'a datagram that is no SIP was left alone')
    }
  }

  #connection(peer: Peer): Connection {
    return { protocol: 'UDP', send: (message) => this.#send(message, peer), release: () => {} }
  }

  #send(message: Request | Response, { address, port }: Peer): void {
    if (this.#closed) return
    // As it is parsed: a byte is a character, so that lengths are right whatever the text is.
    const datagram = Buffer.from(sip.stringify(message), 'latin1')
    this.#socket.send(datagram, port, address, (error) => {
      if (error) log.debug({ err: describe(error) }, 'a datagram could not be sent')
    })
  }

  /** Lets go of the port; who still waits for an answer has none. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#layer.destroy()
    for (const expire of this.#waiting) expire()
    this.#socket.close()
  }
}

/** A branch as RFC 3261 8.1.1.7 has it: unique in space and time. */
export const newBranch = (): string => `z9hG4bK${randomBytes(12).toString('hex')}`

/** Whether a message has what all have (RFC 3261 8.1.1), in a shape that the package can handle. */
const isSound = ({ via, from, to, cseq, 'call-id': callId }: Request['headers']): boolean =>
  Array.isArray(via) && !!via[0]?.params && !!from?.params && !!to?.params && !!callId && Number.isInteger(cseq?.seq)
