import { Agent, request } from 'undici'
import { type AddressRules, guardAddresses, OutboundError } from './address-guard.ts'
import { config } from './config.ts'
import { read, readAsItComes, readWhatComes } from './http-body.ts'
import { onceOnly } from './once-only.ts'
import { type BreakerSettings, OriginBreaker } from './origin-breaker.ts'
import { type Hop, redirected, targetOf } from './redirects.ts'

/** A request to an address that a customer gave. */
export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Milliseconds for the whole exchange, redirects and body included. */
  timeout: number
  /** Bytes of the body, decompressed. */
  maxBytes: number
  /** What becomes of a longer body: an error, or its head alone. */
  tooLong?: 'refuse' | 'cut'
  /**
   * Whether the answer counts without its body: one that hangs, breaks off or cannot be decoded is then cut where it ended. By
   * default it is an error.
   */
  bodyOptional?: boolean
  /** How many redirects are followed; with none, a 3xx is an answer like any other. */
  redirects?: number
  /**
   * On whose behalf it is made: a server that has timed out several times in a row for them is then asked only now and then, and
   * other requests fail at once with `ServerSilent`. By default each request is made.
   */
  holder?: string
  signal?: AbortSignal
}

/** What came back. */
export interface OutboundResponse {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  /** Whether the body goes on behind what is here. */
  cut: boolean
  /** Every URL that was requested, in order; the last one answered. */
  hops: readonly string[]
}

/** What comes back when the body is read while it comes. */
export interface OutboundStream extends Omit<OutboundResponse, 'body' | 'cut'> {
  /** Decompressed; throws an `OutboundError` when it is longer than allowed or breaks off. */
  body: AsyncIterable<Buffer>
}

/** A server has timed out several times in a row and is left alone for a while: this request was not made. */
export class ServerSilent extends OutboundError {
  override name = 'ServerSilent'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    const seconds = Math.ceil(retryAfterMs / 1_000)
    super('timed_out', `This server did not answer several times in a row. Millrace asks it again in ${seconds} s.`)
    this.retryAfterMs = retryAfterMs
  }
}

/** The client for addresses that customers give: webhooks, pages to be read, links to be checked. */
export interface OutboundClient {
  /** Makes one exchange; throws an `OutboundError` when the address is refused or no whole answer comes. */
  request(url: string, options: OutboundRequest): Promise<OutboundResponse>
  /** Makes one whose body may be larger than memory: `take` reads it, within `timeout`; what it leaves is not fetched. */
  stream<T>(
    url: string,
    options: Omit<OutboundRequest, 'tooLong'>,
    take: (response: OutboundStream) => Promise<T>,
  ): Promise<T>
  close(): Promise<void>
}

/** Reached by default: public addresses on the ports of HTTP, and what the operator allows besides. */
const usual: AddressRules = { allowed: config.OUTBOUND_ALLOWED, ports: [80, 443] }

/** Throws an `OutboundError` for a URL that is refused whatever its name resolves to. */
export const checkOutboundUrl = (url: URL): void => guardAddresses(usual).checkUrl(url)

/** Why no request is made to a URL, as a fault of the field that names it; undefined when it may be. */
export function outboundFaultOf(url: URL): string | undefined {
  try {
    checkOutboundUrl(url)
  } catch (error) {
    if (error instanceof OutboundError) return `is refused: ${error.message}`
    throw error
  }
  return undefined
}

/** Opens a client whose every connection is guarded; connections are kept for the next request to the same origin. */
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
  // Made for the first request that is made for somebody.
  let breaker: OriginBreaker | undefined

  async function exchange(first: string, options: OutboundRequest): Promise<OutboundResponse> {
    const url = parse(first)
    const { signal, thrown } = bounds(options)
    try {
      const { answer, hops } = await followUnlessSilent(url, options, signal, thrown)
      const body = options.bodyOptional ? readWhatComes(answer, options) : read(answer, options)
      return { status: answer.statusCode, headers: answer.headers, ...(await body), hops }
    } catch (error) {
      throw thrown(error)
    }
  }

  /** Follows a URL whose server answers, as far as is known; notes whether it did. */
  async function followUnlessSilent(
    url: URL,
    options: OutboundRequest,
    signal: AbortSignal,
    thrown: (error: unknown) => unknown,
  ) {
    if (options.holder === undefined) return await follow(url, options, signal)
    breaker ??= new OriginBreaker(breaking)
    const server = `${options.holder} ${url.origin}`
    const waitMs = breaker.waitMs(server)
    if (waitMs > 0) throw new ServerSilent(waitMs)
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
    const { signal, thrown } = bounds(options)
    let followed: Awaited<ReturnType<typeof follow>>
    try {
      followed = await followUnlessSilent(parse(first), options, signal, thrown)
    } catch (error) {
      throw thrown(error)
    }
    const { answer, hops } = followed
    try {
      const body = readAsItComes(answer, options, thrown)
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
      const target = redirects > 0 ? targetOf(answer, url) : undefined
      if (!target) return { answer, hops }
      await answer.body.dump({ limit: 65_536, signal })
      if (hops.length > redirects) {
        throw new OutboundError('too_many_redirects', `${hops.length} redirects, more than ${redirects}.`)
      }
      hop = redirected(hop, answer.statusCode, target)
    }
  }

  const close = async () => {
    breaker?.close()
    await agent.close()
  }
  return { request: exchange, stream, close: onceOnly(close) }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof OutboundError &&
  (error.code === 'timed_out' || (error.cause as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_CONNECT_TIMEOUT')

/** The signal that ends an exchange, and what is thrown for an error in it. */
function bounds({ timeout, signal: asked }: OutboundRequest) {
  const expiry = AbortSignal.timeout(timeout)
  const thrown = (error: unknown): unknown => {
    if (asked?.aborted) return asked.reason
    if (expiry.aborted) return new OutboundError('timed_out', `No whole answer within ${timeout} ms.`, error)
    return translated(error)
  }
  return { signal: asked ? AbortSignal.any([expiry, asked]) : expiry, thrown }
}

function parse(url: string): URL {
  const parsed = URL.parse(url)
  if (!parsed) throw new OutboundError('bad_url', 'This is not a URL.')
  return parsed
}

function translated(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new OutboundError('connection_failed', `The connection failed: ${code ?? message}.`, error)
}
