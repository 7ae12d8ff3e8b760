import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import type { OutboundClient, OutboundResponse } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import { FormFault, MovingFault, ObjectFault, PassingFault } from './fault.ts'

const usual: Readonly<Record<string, string>> = {
  resend: 'https://api.resend.com',
  postmark: 'https://api.postmarkapp.com',
  sendgrid: 'https://api.sendgrid.com',
  mux: 'https://api.mux.com',
  'mux-stream': 'https://stream.mux.com',
}

/** Minimum time in milliseconds between two requests, by provider. Resend accepts two requests per second. */
const paceMs: Readonly<Record<string, number>> = { resend: 550, mux: 250 }

/** Maximum size of a response in bytes. A page of 500 suppressions has about 100 KB, and a template up to 4 MB. */
const maxBytes = 16 * 1024 * 1024

const requestMs = 30_000

/** Longest wait in seconds that a provider can request. */
const longestWait = 3_600

export const baseUrlOf = (name: string): string => (config.MOVING_URLS[name] ?? usual[name] ?? '').replace(/\/$/, '')

export interface ProviderClient {
  json<S extends z.ZodType>(
    path: string,
    schema: S,
    options?: { method?: 'GET' | 'PUT'; body?: object },
  ): Promise<z.output<S>>
  /** Returns a public text file. Null if it does not exist. */
  text(url: string, most: number): Promise<string | null>
}

interface ClientOptions {
  name: string
  headers: Readonly<Record<string, string>>
  /** Parts of the customer’s key. Messages never contain them. */
  secrets: readonly string[]
  orgId: string
  outbound: OutboundClient
  signal: AbortSignal
}

/** Creates a client for the API of a provider. Throws a `MovingFault` or a `PassingFault`. */
export function createProviderClient(options: ClientOptions): ProviderClient {
  const { name, headers, outbound, signal, orgId } = options
  let next = 0

  async function pace(): Promise<void> {
    const wait = next - performance.now()
    if (wait > 0) await sleep(wait, undefined, { signal })
    next = performance.now() + (paceMs[name] ?? 50)
  }

  interface Sent {
    method?: 'GET' | 'PUT'
    body?: string
    headers?: Record<string, string>
  }

  async function send(url: string, given: Sent, most = maxBytes) {
    await pace()
    try {
      return await outbound.request(url, { ...given, timeout: requestMs, maxBytes: most, holder: orgId, signal })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (['timed_out', 'connection_failed', 'unresolved'].includes(error.shown))
        throw new PassingFault(`The provider could not be reached: ${error.message}`)
      if (error.shown === 'too_large') throw new ObjectFault(error.message)
      throw new MovingFault(`The provider could not be reached: ${error.message}`)
    }
  }

  return {
    async json(path, schema, { method = 'GET', body } = {}) {
      const typed = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await send(`${baseUrlOf(name)}${path}`, {
        method,
        headers: { accept: 'application/json', ...headers, ...typed },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      demandSuccess(answer, path, options.secrets)
      return readJson(answer.body, schema, path)
    },
    async text(url, most) {
      const answer = await send(url, {}, most).catch((error: unknown) => {
        if (error instanceof ObjectFault) return null
        throw error
      })
      if (answer?.status !== 200) return null
      return answer.body.toString('utf8')
    },
  }
}

const pathOnly = (path: string) => path.split('?', 1)[0]

function demandSuccess(answer: OutboundResponse, path: string, secrets: readonly string[]): void {
  const { status } = answer
  if (status >= 200 && status < 300) return
  const after = parseRetryAfter(answer.headers['retry-after'])
  const seconds = Math.min(after ?? 0, longestWait)
  if (status === 429) throw new PassingFault('The provider limits the rate of requests.', Math.max(seconds, 1), true)
  if (status === 408 || status === 425 || status >= 500)
    throw new PassingFault(`The provider returned ${status} for ${pathOnly(path)}.`, seconds)
  const words = messageOf(answer.body, secrets)
  if (status === 401 || status === 403)
    throw new MovingFault(`The provider rejected the key (${status}${words}). Start the import with another key.`)
  const Fault = status === 404 || status === 410 ? ObjectFault : MovingFault
  throw new Fault(`The provider returned ${status} for ${pathOnly(path)}${words}.`)
}

const Refusal = z.object({
  message: z.string().optional(),
  Message: z.string().optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
  error: z.object({ messages: z.array(z.string()).optional() }).optional(),
})

/** Returns the error message of the provider in brackets, without the customer’s key. */
function messageOf(body: Buffer, secrets: readonly string[]): string {
  const said = Refusal.safeParse(parse(body)).data
  const text = said?.message ?? said?.Message ?? said?.errors?.[0]?.message ?? said?.error?.messages?.[0] ?? ''
  const safe = secrets.filter((one) => one.length > 3).reduce((kept, one) => kept.replaceAll(one, '…'), text)
  const line = safe
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? '' : `: “${line}”`
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function readJson<S extends z.ZodType>(body: Buffer, schema: S, path: string): z.output<S> {
  const value = parse(body)
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const field = read.error.issues[0]?.path.join('.') || 'the response'
  const message = `The response of the provider for ${pathOnly(path)} cannot be read: ${field} is invalid.`
  throw value === undefined ? new PassingFault(message) : new FormFault(message)
}
