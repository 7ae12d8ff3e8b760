import { APIError, MillraceError, ServerError, toAPIError } from '../errors.ts'
import { buildQuery } from '../path.ts'
import { pause } from '../retries.ts'
import { type ServerEvent, serverEvents } from '../server-events.ts'
import type { Connection } from './connection.ts'
import { clean } from './terminal.ts'

interface FeedOptions {
  path: string
  query: Record<string, unknown>
  /** ID of the last event that was handled. The feed continues after it. */
  after: string | undefined
  signal: AbortSignal
  onOpen?: () => void
  /** Called when the connection is lost. `seconds` is the time until the next attempt. */
  onLost?: (reason: string, seconds: number) => void
}

/** Longest time without data in milliseconds. The server sends data every 15 seconds. */
const silenceMs = 45_000
const [firstWaitMs, longestWaitMs] = [1_000, 30_000]

/**
 * Returns the events of a stream of the API. After a lost connection, continues after the last event. Throws if the API
 * rejects the stream. A position without an event has an empty `event`.
 */
export async function* followFeed(connection: Connection, options: FeedOptions): AsyncGenerator<ServerEvent> {
  const { signal, onOpen, onLost } = options
  const state = { after: options.after, opened: false, failed: 0 }
  while (!signal.aborted) {
    let failure: unknown
    try {
      const body = await openFeed(connection, options, state.after)
      state.opened = true
      onOpen?.()
      yield* eventsOf(body, state)
    } catch (error) {
      if (signal.aborted) return
      failure = temporary(error, state.opened)
    }
    const waitMs = waitOf(++state.failed, failure)
    // The server ends each stream after some time, which is no fault.
    if (failure !== undefined) onLost?.(reasonOf(failure), Math.ceil(waitMs / 1_000))
    await pause(waitMs, signal).catch(() => {})
  }
}

/** Returns the events of one connection, and remembers the position of each. */
async function* eventsOf(body: ReadableStream<Uint8Array>, state: { after: string | undefined; failed: number }) {
  for await (const { retry: _, ...event } of serverEvents(body, silenceMs)) {
    state.failed = 0
    if (event.id !== undefined) state.after = event.id
    yield event
  }
}

async function openFeed({ url, key }: Connection, { path, query, signal }: FeedOptions, after: string | undefined) {
  const address = url + path + buildQuery({ ...query, last_event_id: after })
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}` }
  const response = await fetch(address, { headers, signal, redirect: 'error' })
  if (!response.ok) throw toAPIError(response, await response.text())
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new MillraceError(`${url} did not return a stream of events. Check the URL of the server.`)
  }
  return response.body
}

/**
 * Returns a failure after which another attempt can help. Throws all others. The first connection must work, so that a
 * wrong URL is reported immediately.
 */
function temporary(failure: unknown, opened: boolean): unknown {
  if (failure instanceof APIError) {
    const passes = failure.status === 429 || failure.status === 503 || (opened && failure instanceof ServerError)
    if (!passes) throw failure
  } else if (failure instanceof MillraceError) throw failure
  else if (!opened)
    throw new MillraceError(`The server cannot be reached: ${reasonOf(failure)}. Check the URL and the network.`)
  return failure
}

function waitOf(failed: number, failure: unknown): number {
  const asked = failure instanceof APIError ? failure.retryAfter : undefined
  if (asked !== undefined) return Math.min(asked, 300) * 1_000 + Math.random() * 250
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (failed - 1)) * (0.5 + Math.random() / 2)
}

function reasonOf(failure: unknown): string {
  if (failure === undefined) return 'the server closed the connection'
  if (failure instanceof APIError) return clean(failure.message)
  const { cause, message } = failure as { cause?: { code?: string; message?: string }; message?: string }
  return clean(cause?.code ?? cause?.message ?? message ?? 'unknown error')
}
