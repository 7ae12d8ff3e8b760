import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { log } from '#lib/log.ts'
import { createMcpServer, type ServedKey } from './server.ts'

/** A message with the headers of its request, which the protocol since 2026 compares with the message. */
export interface Message {
  body: unknown
  headers: Readonly<Record<string, string>>
}

/** Headers that the protocol reads. */
export const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/**
 * Returns the response to a message of the protocol of 2025, which starts with `initialize`, or of the protocol since
 * 2026, in which each message is complete. Neither uses a session.
 */
export async function exchange(served: ServedKey, { body: given, headers }: Message): Promise<Response> {
  const body = withoutCancellations(given)
  if (body === undefined) return new Response(null, { status: 202 })
  const request = new Request('http://mcp.invalid/mcp', {
    method: 'POST',
    signal: served.from.signal,
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  })
  return (await isLegacyRequest(request, body))
    ? await answerLegacy(createMcpServer(served), request, body)
    : await createHandler(served).fetch(request, { parsedBody: body })
}

/**
 * Removes cancellations. A cancelled message has no response, so the HTTP request of its list would never end. A client
 * cancels a message with the end of its connection. Returns undefined if nothing remains.
 */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return isCancellation(body) ? undefined : body
  const kept = body.filter((message) => !isCancellation(message))
  return kept.length === 0 ? undefined : kept
}

const isCancellation = (message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  'method' in message &&
  message.method === 'notifications/cancelled' &&
  !('id' in message)

/** Subscriptions are rejected, because tools and resources change only with a release. */
const createHandler = (served: ServedKey): McpHttpHandler =>
  createMcpHandler(() => createMcpServer(served), {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (err) => log.debug({ err: err.message }, 'MCP message rejected'),
  })

async function answerLegacy(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true, keepAliveMs: 0 })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: body })
  } finally {
    await server.close()
  }
}
