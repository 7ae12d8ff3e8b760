import { type OutboundClient, ServerTimeoutError } from '#lib/http.ts'
import { OutboundError } from '#lib/network/address-guard.ts'
import { parseRetryAfter } from '#lib/retry.ts'
import type { Seal } from '#lib/seal.ts'
import type { ChatError, ChatMessage } from '#sql/notify/chat-messages.ts'
import { type Connection, getSealContext } from '#sql/notify/connections.ts'
import { computeSignature } from '../../webhooks/rules/sign.ts'
import { formatChat } from './chat-formats.ts'
import { findConnectionFault } from './chat-hosts.ts'

/** Timeout for the complete response in milliseconds. */
const timeoutMs = 15_000

/** Maximum size of a response that is read, in bytes. */
const maxBytes = 65_536

export type PostResult =
  | { outcome: 'sent' }
  /** The server did not take the message. The request can be repeated after `retryAfter` seconds. */
  | { outcome: 'later'; retryAfter: number | null; isPaused: boolean; error: ChatError }
  /** The server may have the message. */
  | { outcome: 'unknown'; error: ChatError }
  | { outcome: 'refused'; error: ChatError }
  /** The URL does not exist any more. */
  | { outcome: 'gone'; error: ChatError }

export type PostedMessage = Pick<
  ChatMessage,
  'id' | 'event_id' | 'user_id' | 'product_key' | 'type' | 'title' | 'body' | 'url' | 'data' | 'created_at'
>

interface Means {
  seal: Seal
  outbound: OutboundClient
  isLocal: boolean
  signal: AbortSignal
}

const faultOf = (code: string, message: string, http_status: number | null = null): ChatError => ({
  code,
  message,
  http_status,
})

/** Posts a message to a connection once. */
export async function postChatMessage(
  connection: Connection,
  message: PostedMessage,
  { seal, outbound, isLocal, signal }: Means,
): Promise<PostResult> {
  const { id, kind } = connection
  const url = seal.open(connection.url, getSealContext(id, 'url'))
  if (url === null)
    return { outcome: 'refused', error: faultOf('not_configured', 'The URL of the connection cannot be decrypted.') }
  const fault = findConnectionFault(kind, url, { local: isLocal })
  if (fault !== undefined)
    return { outcome: 'refused', error: faultOf('url_not_allowed', 'The URL of the connection is not allowed.') }
  const request = kind === 'url' ? sign(connection, message, seal) : { headers: {}, body: formatChat(kind, message) }
  if (!request)
    return { outcome: 'refused', error: faultOf('not_configured', 'The secret of the connection cannot be decrypted.') }
  const headers = { 'content-type': 'application/json', 'user-agent': 'Millrace-Notify/1.0', ...request.headers }
  try {
    const response = await outbound.request(url, {
      method: 'POST',
      headers,
      body: request.body,
      ...{ timeout: timeoutMs, maxBytes, tooLong: 'cut', bodyOptional: true, redirects: 0, holder: id, signal },
    })
    return judge(response.status, response.headers['retry-after'])
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return unanswered(error)
  }
}

function sign(connection: Connection, message: PostedMessage, seal: Seal) {
  const secret =
    connection.secret === null ? null : seal.open(connection.secret, getSealContext(connection.id, 'secret'))
  if (secret === null) return null
  const { id, created_at, ...data } = message
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const body = JSON.stringify({
    type: 'notify.message',
    timestamp: created_at.toISOString(),
    data: { id, connection_id: connection.id, ...data },
  })
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': computeSignature(secret, `${id}.${timestamp}.${body}`),
    },
    body,
  }
}

function judge(status: number, retryAfter: string | string[] | undefined): PostResult {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  const seconds = parseRetryAfter(retryAfter, { most: 3_600 })
  if (status === 404 || status === 410)
    return { outcome: 'gone', error: faultOf('gone', 'The URL does not exist any more.', status) }
  if (status === 429)
    return {
      ...{ outcome: 'later', retryAfter: seconds, isPaused: true },
      error: faultOf('rate_limited', 'The server received too many messages.', status),
    }
  if (status >= 500 || status === 408)
    return {
      ...{ outcome: 'later', retryAfter: seconds, isPaused: false },
      error: faultOf('server_failed', 'The server reported an error.', status),
    }
  return { outcome: 'refused', error: faultOf('refused', 'The server rejected the message.', status) }
}

/** Codes of connection errors that occur before the request is sent. */
const unconnected = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

function unanswered(error: OutboundError): PostResult {
  if (error instanceof ServerTimeoutError)
    return {
      ...{ outcome: 'later', retryAfter: Math.ceil(error.retryAfterMs / 1_000), isPaused: true },
      error: faultOf('timed_out', 'The server did not respond several times in a row.'),
    }
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (['bad_url', 'address_refused', 'port_refused'].includes(error.code))
    return { outcome: 'refused', error: faultOf('url_not_allowed', 'The URL of the connection is not allowed.') }
  if (error.code === 'unresolved' || (code !== undefined && unconnected.includes(code)))
    return {
      ...{ outcome: 'later', retryAfter: null, isPaused: false },
      error: faultOf('unreachable', 'The server could not be reached.'),
    }
  return { outcome: 'unknown', error: faultOf('no_response', 'The server did not respond.') }
}
