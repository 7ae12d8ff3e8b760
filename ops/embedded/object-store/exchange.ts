import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Grant, Identity } from './protocol/authorize.ts'
import { type Call, hasBody } from './protocol/call.ts'
import { type Content, writeDocument } from './protocol/xml.ts'
import type { Store } from './storage/store.ts'

export interface Exchange {
  readonly call: Call
  readonly grant: Grant
  readonly response: ServerResponse
  readonly store: Store
  readonly identity: Identity
  readonly buckets: ReadonlyMap<string, number>
}

export type Headers = Readonly<Record<string, string | number | undefined>>

export function respondXml(exchange: Exchange, root: string, content: Content, headers: Headers = {}): Promise<void> {
  return sendAnswer(exchange.call.request, exchange.response, 200, headers, writeDocument(root, content))
}

export function respondEmpty(exchange: Exchange, status: 200 | 204 | 304, headers: Headers = {}): Promise<void> {
  return sendAnswer(exchange.call.request, exchange.response, status, headers, '')
}

export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: string,
): Promise<void> {
  setHeaders(response, headers)
  if (body !== '') response.setHeader('content-type', 'application/xml')
  if (status !== 204 && status !== 304) response.setHeader('content-length', Buffer.byteLength(body))
  const isUnread = hasBody(request) && !request.complete
  if (isUnread) response.setHeader('connection', 'close')
  response.writeHead(status)
  if (isUnread) await linger(request, response, body)
  response.end(request.method === 'HEAD' || isUnread ? undefined : body)
}

export function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
}

export function httpDate(time: number): string {
  return new Date(time).toUTCString()
}

const lingerMs = 2000

/**
 * Sends the response and continues reading for a moment. If the connection closes while the client is still sending, it
 * is reset, and the reset can arrive before the response.
 */
async function linger(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  if (body === '') response.flushHeaders()
  else response.write(body)
  request.resume()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs)
    for (const event of ['end', 'close', 'error'])
      request.once(event, () => {
        clearTimeout(timer)
        resolve()
      })
  })
}
