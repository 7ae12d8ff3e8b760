import type { Context } from 'koa'
import { badRequest, type Problem } from '#lib/errors.ts'
import { everyLock } from '#tasks/account/rules/locks.ts'
import { readValue } from '../http/request/body.ts'
import { getClientSignal } from '../http/request/client-gone.ts'
import { route } from '../http/route.ts'
import { frontDoor } from '../http/services.ts'
import { exchange, protocolHeaders } from './exchange.ts'
import { checkPageOrigin } from './origin.ts'
import { tools } from './tools/list.ts'

/** A file of 1 MiB in base64, and the other arguments. */
const mostBytes = 2 * 1024 * 1024

/** Maximum number of messages in one request. Only the protocol of March 2025 allows several. */
const mostMessages = 20

export const send = route({
  method: 'POST',
  path: '',
  summary: 'Send a message to the MCP server',
  scope: [],
  // The called operations check the mode and the locks of the key, and use its limits.
  testKeys: 'sandbox',
  locks: everyLock,
  limit: { perMinute: 1_200, by: 'key', alone: true },
  atOnce: { requests: 256, ofOne: 128 },
  bodyLimit: mostBytes,
  hidden: true,
  cors: true,
  status: 200,
  raw: true,
  problems: ['bad_request', 'payload_too_large', 'unsupported_media_type', 'forbidden', 'rate_limited'],
  problemBody: rpcErrorBody,
  async handle({ ctx, key, org, plan, ip, services }) {
    checkPageOrigin(ctx.get('origin'), key.locks)
    const body = await readMessage(ctx)
    const from = {
      authorization: ctx.get('authorization'),
      origin: ctx.get('origin'),
      ip,
      host: ctx.get('host'),
      signal: getClientSignal(ctx.res),
    }
    const served = { door: services(frontDoor), tools: services(tools)(), caller: { key, org, plan }, from }
    await reply(ctx, await exchange(served, { body, headers: readHeaders(ctx) }))
  },
})

async function readMessage(ctx: Context): Promise<unknown> {
  const body = await readValue(ctx.req, ctx.res, {
    limit: mostBytes,
    beacon: false,
    alsoTakes: {},
    itemsApart: undefined,
  })
  if (typeof body !== 'object' || body === null)
    throw badRequest([{ field: 'body', issue: 'must be a JSON-RPC message' }])
  if (Array.isArray(body) && (body.length === 0 || body.length > mostMessages))
    throw badRequest([{ field: 'body', issue: `must have 1 to ${mostMessages} messages` }])
  return body
}

const readHeaders = (ctx: Context): Record<string, string> =>
  Object.fromEntries(protocolHeaders.flatMap((name) => (ctx.get(name) === '' ? [] : [[name, ctx.get(name)]])))

async function reply(ctx: Context, response: Response): Promise<void> {
  const text = await response.text()
  ctx.status = response.status
  ctx.set('cache-control', 'no-store')
  ctx.body = text
  if (text !== '') ctx.type = response.headers.get('content-type') ?? 'application/json'
}

const malformedJson = /^The body is not valid JSON/

/** Error codes of JSON-RPC 2.0 §5.1. */
function rpcErrorBody({ status, code, message, details }: Problem, requestId: string): object {
  const number = status >= 500 ? -32603 : malformedJson.test(message) ? -32700 : -32600
  const data = { status, code, ...(details !== undefined && { details }), request_id: requestId }
  return { jsonrpc: '2.0', id: null, error: { code: number, message, data } }
}
