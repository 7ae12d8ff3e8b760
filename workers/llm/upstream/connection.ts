import OpenAI from 'openai'
import { boundedFetch } from './bounded-fetch.ts'
import { type Breaker, createBreaker, type RequestResult } from './breaker.ts'
import { toEngineError } from './faults.ts'
import { createHealth, type Health } from './health.ts'
import { addedParameters, createParameters, type Parameters } from './parameters.ts'
import type { UpstreamSettings } from './settings.ts'

/** Timeout in milliseconds per answer, including retries. */
const deadlineMs = 80_000

export interface Server {
  settings: UpstreamSettings
  /** Supported parameters: of Millrace's own requests, of passed requests and of translated requests. */
  parameters: Parameters
  passing: Parameters
  translating: Parameters
  breaker: Breaker
  /** Separate breaker for vectors, because conversations may work while vectors fail. */
  vectorsBreaker: Breaker
  health: Health
}

export const createServer = (settings: UpstreamSettings): Server => ({
  settings,
  parameters: createParameters(),
  passing: createParameters(addedParameters),
  translating: createParameters([...addedParameters, 'max_tokens']),
  breaker: createBreaker(deadlineMs),
  vectorsBreaker: createBreaker(deadlineMs),
  health: createHealth(),
})

/** Headers of each request. Anthropic's API needs a version, and other servers ignore it. */
const headersOf = ({ apiKey, keyHeader, speaks }: UpstreamSettings): Record<string, string | null> => ({
  ...((apiKey === '' || keyHeader === 'x-api-key') && { authorization: null }),
  ...(apiKey !== '' && keyHeader === 'x-api-key' && { 'x-api-key': apiKey }),
  ...(speaks.includes('messages') && { 'anthropic-version': '2023-06-01' }),
})

interface SendOptions {
  parameters?: Parameters
  breaker?: Breaker
  /** True if another server is used after a failure. This server is then not retried. */
  hasOther?: boolean
  maxBytes?: number
  /** Milliseconds per answer, including retries. */
  withinMs?: number
}

export interface Connection {
  server: Server
  client: OpenAI
  /**
   * Sends a request. Repeats the request while the server rejects a parameter that can be omitted. Clients may see
   * thrown errors, except for the signal's reason.
   */
  send<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T>
}

export function connect(server: Server, asker: string, manner: SendOptions = {}): Connection {
  const { settings, health } = server
  const { hasOther, maxBytes, withinMs, parameters = server.parameters, breaker = server.breaker } = manner
  const enter = () => {
    const end = breaker.enter(asker)
    const note = health.enter()
    return (ending?: RequestResult, status?: number) => {
      end(ending)
      note(ending, status)
    }
  }
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey || 'none',
    // If these are not set, the SDK reads them from the environment and sends them.
    organization: null,
    project: null,
    logLevel: 'off',
    defaultHeaders: headersOf(settings),
    // The timeout of fetch is used. The SDK's own timeout would look like a cancelled request.
    timeout: settings.timeoutMs + 5_000,
    maxRetries: hasOther ? 0 : settings.retries,
    fetch: boundedFetch(settings.timeoutMs, enter, maxBytes),
  })
  return {
    server,
    client,
    async send(signal, request) {
      breaker.check(asker)
      const either = AbortSignal.any([signal, AbortSignal.timeout(withinMs ?? deadlineMs)])
      const learn = createLearner(parameters)
      for (;;) {
        try {
          return await abortable(either, request(either))
        } catch (error) {
          if (signal.aborted) throw signal.reason
          learn(error)
        }
      }
    },
  }
}

/**
 * Creates a function that learns from the errors of a request. If it can learn nothing, it throws an error that clients
 * may see.
 */
function createLearner(parameters: Parameters): (error: unknown) => void {
  const learnt: NonNullable<ReturnType<Parameters['learn']>>[] = []
  return (error) => {
    const named = parameters.learn(error)
    if (named === undefined) {
      const fault = toEngineError(error)
      if (fault.requestFault) parameters.unlearn(learnt)
      throw fault
    }
    learnt.push(named)
  }
}

/**
 * Returns the result, or throws the signal's reason if the signal aborts first. The SDK sleeps between attempts without
 * listening to signals.
 */
async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  work.catch(() => {})
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
