import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { checkedBase } from '../transport.ts'

/** Larger responses are not read. */
const maxReplyBytes = 1024 * 1024

export interface Reply {
  status: number
  retryAfter: string | undefined
  /** Undefined if the response is too large. */
  text: string | undefined
}

/** A request without a response. `sent` is false if the server has certainly not received the request. */
export class NoReply extends Error {
  override name = 'NoReply'
  readonly sent: boolean
  readonly timedOut: boolean

  constructor(message: string, { sent, timedOut = false }: { sent: boolean; timedOut?: boolean }) {
    super(message)
    this.sent = sent
    this.timedOut = timedOut
  }
}

export interface Request {
  verb: string
  path: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal
}

/** Sends requests to one server through connections that stay open. */
export class Requests {
  readonly #base: URL
  readonly #agent: HttpAgent
  readonly #timeoutMs: number

  constructor(baseUrl: string | undefined, timeoutMs: number) {
    this.#base = new URL(checkedBase(baseUrl))
    const kind = this.#base.protocol === 'https:' ? HttpsAgent : HttpAgent
    this.#agent = new kind({ keepAlive: true, maxSockets: 256, maxFreeSockets: 64 })
    this.#timeoutMs = timeoutMs
  }

  /** Sends a request once more if the server has closed an idle connection in the same moment. */
  async send(request: Request): Promise<Reply> {
    try {
      return await this.#once(request)
    } catch (error) {
      if (error instanceof StaleConnection) return await this.#once(request)
      throw error
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #once(request: Request): Promise<Reply> {
    const { signal } = request
    return new Promise((resolve, reject) => {
      const outgoing = this.#open(request, (incoming) => readReply(incoming).then(resolve, failed))
      const connected = watchConnection(outgoing)
      const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), this.#timeoutMs)
      const stop = () => outgoing.destroy(new Error('stopped'))
      function failed(error: Error & { code?: string }): void {
        const reason = error.code ?? error.message
        const about = { sent: connected(), timedOut: error.message === 'timeout' }
        const stale = outgoing.reusedSocket && error.code === 'ECONNRESET'
        reject(stale ? new StaleConnection(reason, about) : new NoReply(reason, about))
      }
      outgoing.on('error', failed)
      outgoing.on('close', () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
      })
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      outgoing.end(request.body)
    })
  }

  #open({ verb, path, headers, body }: Request, answered: (incoming: IncomingMessage) => void): ClientRequest {
    const { protocol, hostname, port, pathname } = this.#base
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options: RequestOptions = {
      agent: this.#agent,
      method: verb,
      host: hostname.replace(/^\[|\]$/g, ''),
      path: pathname.replace(/\/$/, '') + path,
      headers: { ...headers, ...length },
      ...(port === '' ? {} : { port }),
    }
    return protocol === 'https:' ? httpsRequest(options, answered) : httpRequest(options, answered)
  }
}

/** Returns a function that tells whether the request has had a connection. */
function watchConnection(outgoing: ClientRequest): () => boolean {
  let connected = false
  const connect = () => {
    connected = true
  }
  outgoing.on('socket', (socket) => {
    if (!socket.connecting) connect()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connect)
  })
  return () => connected
}

class StaleConnection extends NoReply {}

async function readReply(incoming: IncomingMessage): Promise<Reply> {
  const { statusCode: status = 0, headers } = incoming
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += chunk.length
    if (bytes <= maxReplyBytes) chunks.push(chunk)
    else return { status, retryAfter: headers['retry-after'], text: undefined }
  }
  return { status, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString('utf8') }
}
