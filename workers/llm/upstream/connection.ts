import OpenAI from 'openai'
import { boundedFetch } from './bounded-fetch.ts'
import { type Breaker, createBreaker, type Ending } from './breaker.ts'
import { faultOf } from './faults.ts'
import { createHealth, type Health } from './health.ts'
import { added, createParameters, type Parameters } from './parameters.ts'
import type { UpstreamSettings } from './settings.ts'

/** Milliseconds for one answer, tries included. */
const deadlineMs = 80_000

/** What the requests of all organisations to one server share. */
export interface Server {
  settings: UpstreamSettings
  /** What it takes of our own requests, and of those that are passed on. */
  parameters: Parameters
  passing: Parameters
  breaker: Breaker
  /** Of requests for vectors: where those fail, conversations need not. */
  vectorsBreaker: Breaker
  health: Health
}

/** What is known of a server before it was asked anything. */
export const createServer = (settings: UpstreamSettings): Server => ({
  settings,
  parameters: createParameters(),
  passing: createParameters(added),
  breaker: createBreaker(deadlineMs),
  vectorsBreaker: createBreaker(deadlineMs),
  health: createHealth(),
})

/** How a request is made. */
interface Manner {
  /** What the server was seen not to take of such requests. */
  parameters?: Parameters
  /** What keeps such requests from it while it fails. */
  breaker?: Breaker
  /** Whether another server is asked when this one fails: then it is not tried twice. */
  hasOther?: boolean
  /** Bytes of an answer. */
  maxBytes?: number
  /** Milliseconds for an answer, tries included. */
  withinMs?: number
}

/** A server's client for an organisation. */
export interface Connection {
  server: Server
  client: OpenAI
  /** Does a request, again as long as the server names a parameter that can be left out; what it throws is fit for clients, but for the signal's reason. */
  send<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** Opens the client of a server for an organisation. */
export function connect(server: Server, asker: string, manner: Manner = {}): Connection {
  const { settings, health } = server
  const { hasOther, maxBytes, withinMs, parameters = server.parameters, breaker = server.breaker } = manner
  const enter = () => {
    const end = breaker.enter(asker)
    const note = health.enter()
    return (ending?: Ending, status?: number) => {
      end(ending)
      note(ending, status)
    }
  }
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey || 'none',
    // The SDK would read these from the environment, and send them along.
    organization: null,
    project: null,
    logLevel: 'off',
    ...(settings.apiKey === '' && { defaultHeaders: { authorization: null } }),
    // The fetch has the time-out that counts; the SDK's own would pass for the caller's going away.
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
      const learn = learner(parameters)
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

/** Learns from a request's errors, one after the other; throws the one of which there is nothing to learn, as clients may know it. */
function learner(parameters: Parameters): (error: unknown) => void {
  const learnt: NonNullable<ReturnType<Parameters['learn']>>[] = []
  return (error) => {
    const named = parameters.learn(error)
    if (named === undefined) {
      const fault = faultOf(error)
      if (fault.requestFault) parameters.unlearn(learnt)
      throw fault
    }
    learnt.push(named)
  }
}

/** What comes first, the result or the signal's reason: the SDK sleeps between tries without an ear for signals. */
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
