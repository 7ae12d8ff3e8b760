import { ConnectionError, errorOf, MillraceError, TimeoutError } from './errors.ts'
import { EventStream } from './event-stream.ts'
import { Listing, type PageBody } from './listing.ts'
import { queryText } from './path.ts'
import { mayRepeat, pause, waitMs } from './retries.ts'

/** How a client is made. */
export interface MillraceOptions {
  /** Where the API is, with or without `/v1`: `https://api.example.com`; unless said, what `MILLRACE_BASE_URL` says. */
  baseUrl?: string | undefined
  /** An API key; unless said, what `MILLRACE_API_KEY` says. Keys belong on servers; in a page only public ones do, and what needs none goes without. */
  apiKey?: string | undefined
  /** Milliseconds that an attempt may take; a minute by default. */
  timeoutMs?: number | undefined
  /** How often a request is sent again; twice by default. */
  maxRetries?: number | undefined
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined
}

/** What may be said with every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Sent as well. */
  headers?: Record<string, string> | undefined
}

/** What may be said with a call that is executed once, however often it is sent. */
export interface KeyedCallOptions extends CallOptions {
  /** Names the request; one is made where none is given. */
  idempotencyKey?: string | undefined
}

/** One request of the API. */
export interface Call {
  verb: string
  path: string
  /** Sent as JSON; an empty object in place of undefined. */
  body?: unknown
  query?: object | undefined
  /** Takes an idempotency key. */
  takesKey?: boolean
  /** Twice is as good as once, whatever its verb says. */
  repeatable?: boolean
  /** Needs no API key, and gets none. */
  open?: boolean
}

/** A request as it is sent, as often as need be. */
interface Prepared {
  verb: string
  path: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  harmless: boolean
}

/** Sends requests and reads their answers. */
export class Transport {
  readonly #base: string
  readonly #apiKey: string | undefined
  readonly #timeoutMs: number
  readonly #maxRetries: number
  readonly #fetch: typeof fetch

  constructor({
    baseUrl = setting('MILLRACE_BASE_URL'),
    apiKey = setting('MILLRACE_API_KEY'),
    timeoutMs = 60_000,
    maxRetries = 2,
    fetch: own,
  }: MillraceOptions) {
    this.#base = checkedBase(baseUrl)
    // A header's own error would show its value.
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new MillraceError('apiKey is empty or contains an invalid character.')
    }
    this.#apiKey = apiKey
    this.#timeoutMs = timeoutMs
    this.#maxRetries = maxRetries
    this.#fetch = own ?? ((...given) => globalThis.fetch(...given))
  }

  /** Where the API is; paths begin behind it. */
  get base(): string {
    return this.#base
  }

  /** Sends a request whose answer is JSON. */
  async json<Reply>(call: Call, options?: KeyedCallOptions): Promise<Reply> {
    return await this.#settle(call, options, readJson<Reply>)
  }

  /** Sends a request whose answer is text. */
  async text(call: Call, options?: CallOptions): Promise<string> {
    return await this.#settle(call, options, (response) => response.text())
  }

  /** Sends a request whose answer has no body. */
  async nothing(call: Call, options?: CallOptions): Promise<void> {
    await this.#settle(call, options, (response) => response.text())
  }

  /** Asks for a list, page by page. */
  list<Item>(call: Call, options?: CallOptions): Listing<Item> {
    return new Listing((cursor) => {
      const query = cursor === undefined ? call.query : { ...call.query, cursor }
      return this.json<PageBody<Item>>({ ...call, query }, options)
    })
  }

  /** Opens a stream of events; one that is only read is opened again when it breaks. */
  events(call: Call, options: KeyedCallOptions = {}): EventStream {
    const open = (lastEventId: string | undefined, signal: AbortSignal) => {
      // In the query, as pages may not send the header to another origin.
      const query = lastEventId === undefined ? call.query : { ...call.query, last_event_id: lastEventId }
      const prepared = this.#prepare({ ...call, query }, options)
      prepared.headers.accept = 'text/event-stream'
      return this.#repeat(prepared, { ...options, signal }, async (response) => response)
    }
    return new EventStream(open, { comesBack: call.verb === 'GET', signal: options.signal })
  }

  #settle<Reply>(call: Call, options: KeyedCallOptions = {}, read: (response: Response) => Promise<Reply>) {
    return this.#repeat(this.#prepare(call, options), options, read)
  }

  #prepare(call: Call, { idempotencyKey, headers: more }: KeyedCallOptions): Prepared {
    const { verb, path, query, takesKey = false, repeatable = false, open = false } = call
    if (idempotencyKey !== undefined && !takesKey) {
      throw new MillraceError(`${verb} ${path} does not accept an idempotency key.`)
    }
    const headers: Record<string, string> = { accept: 'application/json', ...agent(), ...more }
    if (this.#apiKey !== undefined && !open) headers.authorization = `Bearer ${this.#apiKey}`
    if (takesKey && !namesItself(call.body)) headers['idempotency-key'] = idempotencyKey ?? newKey()
    const body = 'body' in call ? JSON.stringify(call.body ?? {}) : undefined
    if (body !== undefined) headers['content-type'] = 'application/json'
    return { verb, path, url: this.#base + path + queryText(query), headers, body, harmless: takesKey || repeatable }
  }

  /** Sends a request until it is answered with success, or with what another attempt would not better. */
  async #repeat<Reply>(prepared: Prepared, options: CallOptions, read: (response: Response) => Promise<Reply>) {
    const most = options.maxRetries ?? this.#maxRetries
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(prepared, options, read)
      } catch (failure) {
        if (attempt > most || !mayRepeat(prepared, failure)) throw failure
        await pause(waitMs(attempt, failure), options.signal)
      }
    }
  }

  async #once<Reply>(prepared: Prepared, options: CallOptions, read: (response: Response) => Promise<Reply>) {
    const { verb, path, url, headers, body } = prepared
    const ms = options.timeoutMs ?? this.#timeoutMs
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    const signal = options.signal ? AbortSignal.any([options.signal, late.signal]) : late.signal
    try {
      const init: RequestInit = { method: verb, headers, signal, redirect: 'error' }
      const response = await this.#fetch(url, body === undefined ? init : { ...init, body })
      if (!response.ok) {
        const keyless = response.status === 401 && headers.authorization === undefined
        const lacking = `${verb} ${path} needs an API key. Pass \`apiKey\`, or set MILLRACE_API_KEY.`
        throw errorOf(response, await response.text(), keyless ? lacking : undefined)
      }
      return await read(response)
    } catch (failure) {
      // Whoever calls it off hears what they have said.
      if (options.signal?.aborted) throw options.signal.reason
      if (failure instanceof MillraceError) throw failure
      if (late.signal.aborted) throw new TimeoutError(`${verb} ${path} received no response within ${ms} ms.`)
      throw new ConnectionError(`${verb} ${path} received no response: ${reasonOf(failure)}.`, { cause: failure })
    } finally {
      clearTimeout(timer)
    }
  }
}

async function readJson<Reply>(response: Response): Promise<Reply> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Reply
  } catch (cause) {
    throw new MillraceError(
      `The response (${response.status}) is not JSON. Check that baseUrl is the URL of the API.`,
      { cause },
    )
  }
}

/** What is known of a failed connection: its code, which names no secret, before any text. */
function reasonOf(failure: unknown): string {
  const { cause, message } = failure as { cause?: { code?: unknown; message?: unknown }; message?: unknown }
  return String(cause?.code ?? cause?.message ?? message ?? failure)
}

/** A setting of the process; pages have none. */
function setting(name: string): string | undefined {
  const { process: host } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return host?.env?.[name] || undefined
}

function checkedBase(baseUrl: string | undefined): string {
  if (baseUrl === undefined) {
    throw new MillraceError('The URL of the API is not set. Pass `baseUrl`, or set MILLRACE_BASE_URL.')
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new MillraceError('baseUrl must be an http or https URL without query or credentials.')
  }
  // Paths of operations begin with the version.
  return url.href.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')
}

/** Whether a body carries the idempotency key itself. */
const namesItself = (body: unknown): boolean => {
  const { idempotency_key, idempotencyKey } = (body ?? {}) as Record<string, unknown>
  return idempotency_key !== undefined || idempotencyKey !== undefined
}

/** A name that no other request has; pages without TLS have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Servers say who they are; a browser says so itself, and would ask for leave to say something else. */
function agent(): Record<string, string> {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  return navigator?.userAgent?.startsWith('Node') === false ? {} : { 'user-agent': 'millrace-node/1.0.0' }
}
