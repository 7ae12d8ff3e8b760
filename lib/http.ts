import { Agent, request } from 'undici'
import { config } from './config.ts'
import { type AddressRules, guardAddresses, OutboundError } from './network/address-guard.ts'
import { readAvailable, readBody, streamBody } from './network/http-body.ts'
import { type BreakerSettings, OriginBreaker } from './network/origin-breaker.ts'
import { followRedirect, getRedirectTarget, type Hop } from './network/redirects.ts'
import { runOnlyOnce } from './once-only.ts'

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  timeout: number
  maxBytes: number
  /**
   * What to do if the body is longer than `maxBytes`: `refuse` throws an error, `cut` returns the first `maxBytes`
   * bytes.
   */
  tooLong?: 'refuse' | 'cut'
  /**
   * If true, the response is valid without its body, and an incomplete, slow or undecodable body is truncated. By
   * default, such a body causes an error.
   */
  bodyOptional?: boolean
  /** Maximum number of redirects. With 0, a 3xx response is returned like any other response. */
  redirects?: number
  /**
   * Owner of the request. After several timeouts in a row, only a few requests of this owner are sent to this server.
   * All others fail immediately with `ServerTimeoutError`. By default, every request is sent.
   */
  holder?: string
  signal?: AbortSignal
}

export interface OutboundResponse {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  cut: boolean
  hops: readonly string[]
}

export interface OutboundStream extends Omit<OutboundResponse, 'body' | 'cut'> {
  body: AsyncIterable<Buffer>
}

/** Thrown if a server timed out several times in a row, so requests to it are paused. This request was not sent. */
export class ServerTimeoutError extends OutboundError {
  override name = 'ServerTimeoutError'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    const seconds = Math.ceil(retryAfterMs / 1_000)
    super(
      'timed_out',
      `This server did not respond several times in a row. Millrace sends the next request in ${seconds} s.`,
    )
    this.retryAfterMs = retryAfterMs
  }
}

export interface OutboundClient {
  /** Sends one request. Throws an `OutboundError` if the address is not allowed or the response is incomplete. */
  request(url: string, options: OutboundRequest): Promise<OutboundResponse>
  /**
   * Sends a request whose response can be too large for memory. `take` must read the body within `timeout`. The rest of
   * the body is not downloaded.
   */
  stream<T>(
    url: string,
    options: Omit<OutboundRequest, 'tooLong'>,
    take: (response: OutboundStream) => Promise<T>,
  ): Promise<T>
  close(): Promise<void>
}

const usual: AddressRules = { allowed: config.OUTBOUND_ALLOWED, ports: [80, 443] }

/** Throws an `OutboundError` if the URL is never allowed, whatever its DNS records are. */
export const checkOutboundUrl = (url: URL, rules: Partial<AddressRules> = {}): void =>
  guardAddresses({ ...usual, ...rules }).checkUrl(url)

/** Rules that also allow this machine, on any port. */
export const withLoopback: Pick<AddressRules, 'allowed'> = {
  allowed: [...config.OUTBOUND_ALLOWED, '127.0.0.0/8', '::1'],
}

export function findOutboundFault(url: URL, rules: Partial<AddressRules> = {}): string | undefined {
  try {
    checkOutboundUrl(url, rules)
  } catch (error) {
    if (error instanceof OutboundError) return `is not allowed: ${error.message}`
    throw error
  }
  return undefined
}

export function createOutboundClient(
  rules: Partial<AddressRules> = {},
  breaking: Partial<BreakerSettings> = {},
): OutboundClient {
  const guard = guardAddresses({ ...usual, ...rules })
  const agent = new Agent({
    connect: guard.connector,
    keepAliveTimeout: 10_000,
    maxHeaderSize: 32_768,
    allowH2: false,
  })
  let breaker: OriginBreaker | undefined

  async function exchange(first: string, options: OutboundRequest): Promise<OutboundResponse> {
    const url = parse(first)
    using bound = bounds(options)
    try {
      const { answer, hops } = await followUnlessSilent(url, options, bound)
      const body = options.bodyOptional ? readAvailable(answer, options) : readBody(answer, options)
      return { status: answer.statusCode, headers: answer.headers, ...(await body), hops }
    } catch (error) {
      throw bound.thrown(error)
    }
  }

  async function followUnlessSilent(url: URL, options: OutboundRequest, { signal, thrown }: Bounds) {
    if (options.holder === undefined) return await follow(url, options, signal)
    breaker ??= new OriginBreaker(breaking)
    const server = `${options.holder} ${url.origin}`
    const waitMs = breaker.waitMs(server)
    if (waitMs > 0) throw new ServerTimeoutError(waitMs)
    try {
      const followed = await follow(url, options, signal)
      breaker?.answered(server)
      return followed
    } catch (error) {
      if (isTimeout(thrown(error))) breaker?.timedOut(server)
      throw error
    }
  }

  async function stream<T>(
    first: string,
    options: OutboundRequest,
    take: (response: OutboundStream) => Promise<T>,
  ): Promise<T> {
    using bound = bounds(options)
    const { thrown } = bound
    let followed: Awaited<ReturnType<typeof follow>>
    try {
      followed = await followUnlessSilent(parse(first), options, bound)
    } catch (error) {
      throw thrown(error)
    }
    const { answer, hops } = followed
    try {
      const body = streamBody(answer, options, thrown)
      return await take({ status: answer.statusCode, headers: answer.headers, body, hops })
    } finally {
      answer.body.on('error', () => {}).destroy()
    }
  }

  async function follow(first: URL, options: OutboundRequest, signal: AbortSignal) {
    const { redirects = 0 } = options
    const hops: string[] = []
    let hop: Hop = {
      url: first,
      method: options.method ?? 'GET',
      body: options.body ?? null,
      headers: { 'accept-encoding': 'gzip, br', ...options.headers },
    }
    for (;;) {
      const { url, ...rest } = hop
      guard.checkUrl(url)
      hops.push(url.href)
      const answer = await request(url, { ...rest, dispatcher: agent, signal })
      const target = redirects > 0 ? getRedirectTarget(answer, url) : undefined
      if (!target) return { answer, hops }
      await answer.body.dump({ limit: 65_536, signal })
      if (hops.length > redirects) {
        throw new OutboundError(
          'too_many_redirects',
          `The response redirects ${hops.length} times. The maximum is ${redirects}.`,
        )
      }
      hop = followRedirect(hop, answer.statusCode, target)
    }
  }

  const close = async () => {
    breaker?.close()
    await agent.close()
  }
  return { request: exchange, stream, close: runOnlyOnce(close) }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof OutboundError &&
  (error.code === 'timed_out' || (error.cause as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_CONNECT_TIMEOUT')

interface Bounds extends Disposable {
  signal: AbortSignal
  /** Returns the error for the caller: the reason of the abort, the timeout, or the error of the connection. */
  thrown(error: unknown): unknown
}

/** One controller per request. `AbortSignal.any` and `AbortSignal.timeout` cost several times as much. */
function bounds({ timeout, signal: asked }: OutboundRequest): Bounds {
  const controller = new AbortController()
  const { signal } = controller
  let isExpired = false
  const timer = setTimeout(() => {
    isExpired = true
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  }, timeout).unref()
  const abort = () => controller.abort(asked?.reason)
  if (asked?.aborted) abort()
  else asked?.addEventListener('abort', abort, { once: true })
  return {
    signal,
    thrown(error) {
      if (asked?.aborted) return asked.reason
      if (isExpired) return new OutboundError('timed_out', `No complete response within ${timeout} ms.`, error)
      return translated(error)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      asked?.removeEventListener('abort', abort)
    },
  }
}

function parse(url: string): URL {
  const parsed = URL.parse(url)
  if (!parsed) throw new OutboundError('bad_url', 'This is not a valid URL.')
  return parsed
}

function translated(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new OutboundError('connection_failed', `The connection failed: ${code ?? message}.`, error)
}
