import { errorMessage, internalError, isObject, type Message, type MessageId } from './messages.ts'

/** Maximum number of bytes of a response. The server sends much less. */
const mostBytes = 16 * 1024 * 1024

/** Maximum duration of a request in milliseconds. The server stops operations earlier. */
const longestMs = 150_000

export interface Destination {
  url: string
  apiKey: string
  fetch: typeof fetch
}

/** Sends a message to the server. Returns its response, or an error for the same ID. Throws if `signal` aborts. */
export async function forward(
  to: Destination,
  message: unknown,
  { id, headers, signal }: { id: MessageId | null; headers: Record<string, string>; signal: AbortSignal },
): Promise<unknown> {
  try {
    const response = await to.fetch(to.url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
      headers: {
        ...headers,
        authorization: `Bearer ${to.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    })
    return withId(readReply(response.status, await readText(response)), id)
  } catch (error) {
    if (signal.aborted) throw error
    return errorMessage(id, internalError, `Millrace did not respond: ${causeOf(error)}`)
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`the response has more than ${mostBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function readReply(status: number, text: string): unknown {
  try {
    const reply: unknown = JSON.parse(text)
    if (Array.isArray(reply) || (isObject(reply) && reply.jsonrpc === '2.0')) return reply
  } catch {
    // A proxy can send a page instead of JSON.
  }
  throw new Error(`the response ${status} is not a message of the protocol`)
}

/** An error of the HTTP request has no ID, because the server did not read the message. */
const withId = (reply: unknown, id: MessageId | null): unknown =>
  isObject(reply) && reply.id === null ? ({ ...reply, id } satisfies Message) : reply

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  const shown = cause instanceof Error && cause.message !== '' ? cause : error
  return shown instanceof Error ? shown.message : String(shown)
}
