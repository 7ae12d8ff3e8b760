import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { log } from '#lib/log.ts'
import { hasBody } from '../request/body.ts'
import type { Client } from '../request/client.ts'
import { getClientSignal } from '../request/client-gone.ts'
import { hopHeader, keyHeader, sealHop } from './hop.ts'
import type { CellConnection } from './passage.ts'

const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  hopHeader,
  keyHeader,
])

function passing(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !name.startsWith(':') && !ofConnection.has(name) && !named.has(name),
  )
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

export interface ForwardOptions {
  client: Client
  n: number
  secret: string
  stopping: AbortSignal
}

export type KeyStatus = 'known' | 'unknown' | undefined

/**
 * Streams a request to another cell and its response back. Resolves when the response has started. If one side
 * disconnects, the connection to the other side is closed.
 */
export async function forwardRequest(
  ctx: Context,
  passage: CellConnection,
  { client, n, secret, stopping }: ForwardOptions,
): Promise<KeyStatus> {
  const { req, res } = ctx
  const place = passage.enter(client.ip)
  const { body, whole } = bodyOf(req)
  if (req.headers.expect !== undefined) res.writeContinue()
  const request = {
    method: req.method as 'GET',
    path: req.url ?? '/',
    headers: {
      ...passing(req.headers),
      host: String(req.headers[':authority'] ?? req.headers.host ?? client.host),
      'x-request-id': ctx.state.requestId,
      [hopHeader]: sealHop(req, client, n, secret),
    },
    body,
  }
  const answer = await place.send(request, { whole, gone: getClientSignal(res) }).catch((error) => {
    place.leave()
    throw error
  })
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  for (const [name, value] of Object.entries(passing(answer.headers))) res.setHeader(name, value)
  ctx.status = answer.statusCode
  ctx.respond = false
  const word = answer.headers[keyHeader] as KeyStatus
  if (n > 1 && word !== undefined) res.setHeader(keyHeader, word)
  const streams = String(answer.headers['content-type']).startsWith('text/event-stream')
  const stop = () => answer.body.destroy()
  if (streams) stopping.addEventListener('abort', stop)
  res.flushHeaders()
  void pipeline(answer.body, res)
    .catch((error: Error) => {
      log.debug({ err: error.message }, 'response of another cell ended early')
      res.destroy()
    })
    .finally(() => {
      place.leave()
      stopping.removeEventListener('abort', stop)
    })
  return word
}

/**
 * Returns a body that can end while the client’s connection stays open, and a promise that resolves when the body is
 * complete. The rest of an unused body is discarded.
 */
function bodyOf(req: IncomingMessage): { body: Readable | null; whole: Promise<void> } {
  if (!hasBody(req)) return { body: null, whole: Promise.resolve() }
  const body = new PassThrough()
  const { promise: whole, resolve } = Promise.withResolvers<void>()
  const breakOff = () => body.destroy(new Error('The body ended early.'))
  req.once('aborted', breakOff).once('error', breakOff).once('end', resolve)
  body.on('error', () => {})
  body.once('close', () => {
    req.off('aborted', breakOff).unpipe(body)
    req.resume()
  })
  req.pipe(body)
  return { body, whole }
}
