import { MillraceError } from '../errors.ts'
import { checkedBase, checkedKey, setting } from '../transport.ts'
import { type Destination, forward } from './forward.ts'
import { longestLine, readLines } from './lines.ts'
import {
  cancelledId,
  errorMessage,
  headersOf,
  invalidRequest,
  type MessageId,
  negotiatedVersion,
  parseError,
  requestId,
} from './messages.ts'
import { createWriter, type Output } from './writer.ts'

export interface StdioServerOptions {
  /** URL of the API, with or without `/v1`. Default: `MILLRACE_BASE_URL`. */
  baseUrl?: string | undefined
  /** API key. Default: `MILLRACE_API_KEY`. */
  apiKey?: string | undefined
  /** Default: standard input. */
  input?: AsyncIterable<Uint8Array | string>
  /** Default: standard output. */
  output?: Output
  fetch?: typeof fetch
}

/** Maximum number of requests in progress. Further lines are read when one of them ends. */
const mostAtOnce = 64

/**
 * Passes messages of the Model Context Protocol from standard input to the server at `/mcp`, and its responses to
 * standard output, one message per line. Returns when the input has ended and all responses are written.
 */
export async function runStdioServer(options: StdioServerOptions = {}): Promise<void> {
  const to = readDestination(options)
  const writer = createWriter(options.output ?? process.stdout)
  const running = new Map<MessageId | symbol, AbortController>()
  const waiting = new Set<Promise<void>>()
  let version: string | undefined

  async function answer(message: unknown, id: MessageId | null): Promise<void> {
    const name = id ?? Symbol('batch')
    const abort = new AbortController()
    running.set(name, abort)
    try {
      const reply = await forward(to, message, { id, headers: headersOf(message, version), signal: abort.signal })
      version = negotiatedVersion(message, reply) ?? version
      if (!abort.signal.aborted) await writer.write(reply)
    } catch (error) {
      // A cancelled request has no response.
      if (!abort.signal.aborted) throw error
    } finally {
      if (running.get(name) === abort) running.delete(name)
    }
  }

  async function receive(line: string | undefined): Promise<void> {
    if (line === undefined)
      return await writer.write(
        errorMessage(null, invalidRequest, `A message can have up to ${longestLine} characters.`),
      )
    if (line.trim() === '') return
    const message = readMessage(line)
    if (message === undefined) return await writer.write(errorMessage(null, parseError, 'The line is not valid JSON.'))
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) return running.get(cancelled)?.abort()
    const id = requestId(message)
    // The server has no sessions, so it does not need notifications.
    if (id === undefined && !Array.isArray(message)) return
    const work: Promise<void> = answer(message, id ?? null).finally(() => waiting.delete(work))
    waiting.add(work)
    if (waiting.size >= mostAtOnce) await Promise.race(waiting)
  }

  for await (const line of readLines(options.input ?? process.stdin)) {
    await receive(line)
    if (writer.isClosed()) break
  }
  if (writer.isClosed()) for (const abort of running.values()) abort.abort()
  await Promise.all(waiting)
}

function readDestination({ baseUrl, apiKey, fetch: own }: StdioServerOptions): Destination {
  const base = checkedBase(baseUrl ?? setting('MILLRACE_BASE_URL'))
  const key = apiKey ?? setting('MILLRACE_API_KEY')
  if (!key) throw new MillraceError('The API key is not set. Pass `apiKey`, or set MILLRACE_API_KEY.')
  return { url: `${base}/mcp`, apiKey: checkedKey(key), fetch: own ?? fetch }
}

function readMessage(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
