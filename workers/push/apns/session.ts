import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { Provider } from 'node-apn'
import { createSlots } from '#lib/slots.ts'
import { Deadlines } from '../deadlines.ts'
import type { PushServers } from '../servers.ts'

export interface ApnsRequest {
  /** Names and values in alternation. In Node, this is faster than an object. */
  headers: readonly string[]
  body: string
}

export interface Exchange {
  /**
   * answered: APNs returned a status. unsent: rejected before processing, or never sent. silent: the connection was
   * dead. timeout, lost: no response, but the request may have arrived. unreachable: no connection.
   */
  fate: 'answered' | 'unsent' | 'silent' | 'timeout' | 'lost' | 'unreachable'
  status?: number | undefined
  reason?: string | undefined
  /** Time since which the token is invalid, in milliseconds since 1970 (410). */
  timestamp?: number | undefined
  retryAfter?: string | string[] | undefined
  apnsId?: string | undefined
  error?: string | undefined
}

/**
 * Time without data in milliseconds after which a connection is pinged before use. NATs drop connections without
 * notice.
 */
const quietMs = 30_000
/**
 * Lifetime of a provider token in seconds, and minimum interval between renewals in milliseconds. APNs accepts a token
 * for one hour and allows a renewal every 20 minutes (Establishing a token-based connection).
 */
const tokenSeconds = 3_000
const tokenMs = 1_200_000
/** Maximum size of a response in bytes. A `reason` is short. */
const answerBytes = 4_096

interface Connection {
  connected: boolean
  heardAt: number
  /** Highest stream that the peer has processed, from GOAWAY (RFC 9113 §6.8). */
  lastStream: number
  silent: boolean
  probe?: Promise<boolean> | undefined
}

interface StreamReply {
  head: IncomingHttpHeaders | undefined
  body: string
  isLate: boolean
  error: Error | undefined
}

/**
 * One HTTP/2 session with APNs for one key and environment, reopened as needed. The library connects, reconnects and
 * signs. This class sends the requests itself, because `client.request` has these faults:
 * - It does not read Retry-After and loses the status of many responses.
 * - It cannot tell processed from unprocessed requests.
 * - It waits forever for a destroyed stream and keeps a connection that died silently.
 */
export class ApnsSession {
  /** Node’s limit of 10 MB of memory per session is reached at about 8,000 streams. APNs allows 1,000. */
  readonly inFlight = createSlots(500)
  readonly #provider: Provider
  readonly #pingMs: number
  readonly #deadlines: Deadlines
  readonly #connections = new WeakMap<ClientHttp2Session, Connection>()
  #renewedAt: number | undefined

  constructor(
    token: { key: Buffer; keyId: string; teamId: string },
    environment: 'production' | 'sandbox',
    { apns, secureContext, timeoutMs }: PushServers,
  ) {
    this.#pingMs = timeoutMs / 4
    this.#deadlines = new Deadlines(timeoutMs)
    this.#provider = new Provider({
      token,
      production: environment === 'production',
      ...(apns && { address: apns.hostname, port: Number(apns.port) || 443 }),
      ...(secureContext && { secureContext }),
      connectionRetryLimit: 0,
      maxSessionMemory: 64,
    })
    this.#provider.client.request = (session, authority, request, path) =>
      this.#request(session, authority, request, path)
  }

  exchange(request: ApnsRequest, token: string): Promise<Exchange> {
    const { client } = this.#provider
    const { session } = client
    // If a session is open, the library would only call the callback, which takes 5 µs.
    return session && !session.closed && !session.destroyed && !client.isDestroyed
      ? this.#request(session, client.config.address, request, `/3/device/${token}`)
      : client.write(request, token, 'device', 'post')
  }

  /** Makes the next request open a new connection. Responses to requests in progress arrive on the old connection. */
  retire(): void {
    const { session } = this.#provider.client
    if (session && !session.closed) session.close()
  }

  async close(): Promise<void> {
    this.#deadlines.close()
    const { client } = this.#provider
    // The library would wait for the end of a session that has already ended.
    if (client.session?.destroyed) delete client.session
    await client.shutdown()
  }

  async #request(
    session: ClientHttp2Session,
    authority: string,
    { headers, body }: ApnsRequest,
    path: string,
  ): Promise<Exchange> {
    const connection = this.#connectionOf(session)
    const isQuiet = connection.connected && Date.now() - connection.heardAt > quietMs
    if (isQuiet && !(await this.#isAlive(session, connection))) return { fate: 'unsent' }
    const { token } = this.#provider.client.config
    if (token.isExpired(tokenSeconds)) token.regenerate(token.generation)
    const { generation } = token
    let stream: ClientHttp2Stream
    try {
      const pseudo = [':method', 'POST', ':scheme', 'https', ':authority', authority, ':path', path]
      stream = session.request(pseudo.concat(headers, 'authorization', `bearer ${token.current}`))
    } catch (error) {
      return { fate: 'unsent', error: (error as Error).message }
    }
    const heard = await listen(stream, body, this.#deadlines)
    if (!heard.head) return await this.#fateOf(session, connection, stream, heard)
    connection.heardAt = Date.now()
    const answer = answerOf(heard.head, heard.body)
    if (answer.reason === 'ExpiredProviderToken') this.#renewToken(generation)
    return answer
  }

  /**
   * Renews the rejected provider token of a request. Does not renew it repeatedly, which a wrong clock would otherwise
   * cause.
   */
  #renewToken(generation: number): void {
    const { token } = this.#provider.client.config
    const isEarly = this.#renewedAt !== undefined && Date.now() - this.#renewedAt < tokenMs
    if (isEarly || token.generation !== generation) return
    this.#renewedAt = Date.now()
    token.regenerate(generation)
  }

  async #fateOf(
    session: ClientHttp2Session,
    connection: Connection,
    stream: ClientHttp2Stream,
    { isLate, error }: StreamReply,
  ): Promise<Exchange> {
    const said = { error: error?.message }
    if (!connection.connected) {
      if (isLate) session.destroy()
      return { fate: 'unreachable', ...said }
    }
    const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
    if (!stream.id || isRefused || stream.id > connection.lastStream) return { fate: 'unsent', ...said }
    if (connection.silent || (isLate && !(await this.#isAlive(session, connection)))) return { fate: 'silent', ...said }
    return { fate: isLate ? 'timeout' : 'lost', ...said }
  }

  #connectionOf(session: ClientHttp2Session): Connection {
    const known = this.#connections.get(session)
    if (known) return known
    const connection: Connection = {
      connected: !session.connecting,
      heardAt: Date.now(),
      lastStream: Number.POSITIVE_INFINITY,
      silent: false,
    }
    session.once('connect', () => {
      connection.connected = true
      connection.heardAt = Date.now()
    })
    session.on('goaway', (_code, lastStream) => {
      connection.lastStream = lastStream ?? 0
    })
    this.#connections.set(session, connection)
    return connection
  }

  /** Sends one ping for all waiting callers. If there is no response, closes the connection with all its requests. */
  async #isAlive(session: ClientHttp2Session, connection: Connection): Promise<boolean> {
    if (session.destroyed) return false
    connection.probe ??= pong(session, this.#pingMs).then((alive) => {
      connection.probe = undefined
      if (alive) connection.heardAt = Date.now()
      else {
        connection.silent = true
        session.destroy()
      }
      return alive
    })
    return await connection.probe
  }
}

/** Sends the body, and resolves with the response when the stream closes for any reason. */
function listen(stream: ClientHttp2Stream, body: string, deadlines: Deadlines): Promise<StreamReply> {
  const { promise, resolve } = Promise.withResolvers<StreamReply>()
  const heard: StreamReply = { head: undefined, body: '', isLate: false, error: undefined }
  const deadline = deadlines.set(() => {
    heard.isLate = true
    // A stream that waits for its connection would otherwise close only with the connection.
    if (stream.pending) stream.destroy()
    else stream.close(constants.NGHTTP2_CANCEL)
  })
  stream.on('response', (head) => {
    heard.head = head
  })
  stream.on('data', (chunk: Buffer) => {
    if (heard.body.length < answerBytes) heard.body += chunk.toString('utf8')
  })
  stream.on('error', (error) => {
    heard.error = error
  })
  stream.on('close', () => {
    deadlines.lift(deadline)
    resolve(heard)
  })
  stream.end(body)
  return promise
}

function answerOf(head: IncomingHttpHeaders, body: string): Exchange {
  const answer: Exchange = {
    fate: 'answered',
    status: Number(head[':status']),
    apnsId: head['apns-id'] as string | undefined,
  }
  return body === '' && answer.status === 200
    ? answer
    : { ...answer, ...wordsOf(body), retryAfter: head['retry-after'] }
}

function wordsOf(body: string): Pick<Exchange, 'reason' | 'timestamp'> {
  try {
    const { reason, timestamp } = JSON.parse(body)
    return { reason: typeof reason === 'string' ? reason : undefined, timestamp: Number(timestamp) || undefined }
  } catch {
    return {}
  }
}

async function pong(session: ClientHttp2Session, withinMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), withinMs)
  if (!session.ping((error) => resolve(!error))) resolve(false)
  const alive = await promise
  clearTimeout(timer)
  return alive
}
