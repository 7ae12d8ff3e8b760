import inject from 'light-my-request'
import { unavailable } from '#lib/errors.ts'
import type { FrontDoor } from '../http/services.ts'
import type { ToolRequest } from './tools/request.ts'
import type { ToolReply } from './tools/result.ts'

/** Name of the client in the request log. */
export const mcpClient = 'millrace-mcp/1'

/** Maximum duration of an operation in milliseconds. */
const longestMs = 120_000

/** The client of the message: its key, its address, and the signal that aborts if it disconnects. */
export interface MessageSender {
  authorization: string
  origin: string
  ip: string
  host: string
  signal: AbortSignal
}

/**
 * Calls an operation in this process, as an HTTP client with the same key and IP address would. So validation, scopes,
 * locks, rate limits, idempotency and the request log are the same.
 */
export async function enter(door: FrontDoor, from: MessageSender, request: ToolRequest): Promise<ToolReply> {
  const late = AbortSignal.timeout(longestMs)
  try {
    const { statusCode, headers, body } = await inject(door, {
      ...request,
      method: request.method as 'GET',
      remoteAddress: from.ip,
      signal: AbortSignal.any([late, from.signal]),
      headers: {
        ...request.headers,
        host: from.host,
        accept: 'application/json, text/markdown, text/plain;q=0.9',
        authorization: from.authorization,
        'user-agent': mcpClient,
        ...(from.origin !== '' && { origin: from.origin }),
      },
    })
    const retryAfter = headers['retry-after']
    return {
      status: statusCode,
      type: String(headers['content-type'] ?? ''),
      text: body,
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    }
  } catch (error) {
    if (late.aborted) throw unavailable('The operation took too long.')
    throw error
  }
}
