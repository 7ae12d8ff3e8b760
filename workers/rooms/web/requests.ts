import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { isValidWebToken } from '#tasks/live/rules/web-token.ts'
import type { Web } from './index.ts'
import { CandidatesOrder, PublishOrder, WatchOrder } from './messages.ts'
import { WebRefusalError } from './refusal.ts'

/** Maximum size of a request in bytes. The largest request contains a session description with JSON escapes. */
const mostBytes = 192 * 1024

const mostRequests = 64

interface Reply {
  status: number
  body?: object
}

const none: Reply = { status: 404, body: { code: 'not_found', message: 'The connection does not exist.' } }

/** Handles requests of ingress about WebRTC connections. Each request has a token for one connection. */
export function answerIngress(web: () => Web | undefined, secret: string) {
  let underWay = 0
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = ({ status, body }: Reply) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
    }
    if (underWay >= mostRequests)
      return send({ status: 503, body: { code: 'unavailable', message: 'Too many requests.' } })
    underWay++
    try {
      const running = web()
      send(running ? await answer(running, request, secret) : none)
    } catch (error) {
      if (error instanceof WebRefusalError)
        return send({ status: error.status, body: { code: error.code, message: error.message } })
      log.error({ err: error }, 'a WebRTC connection failed')
      send({ status: 500, body: { code: 'server_error', message: 'The connection failed.' } })
    } finally {
      underWay--
    }
  }
}

async function answer(web: Web, request: IncomingMessage, secret: string): Promise<Reply> {
  const [, , what, id = ''] = (request.url ?? '').split('/')
  const token = (request.headers.authorization ?? '').slice('Bearer '.length)
  // The token is checked before the body is read, because anyone who can reach this port can send a request.
  if (!Id.safeParse(id).success || !isValidWebToken(token, id, secret)) return none
  const called = `${request.method} ${what}`
  if (called === 'DELETE connections') return (await web.end(id)) ? { status: 204 } : none
  const body = await bodyOf(request)
  if (called === 'POST publishers')
    return { status: 201, body: { sdp: await web.publish(readBody(PublishOrder, body, id)) } }
  if (called === 'POST viewers') return { status: 201, body: { sdp: await web.watch(readBody(WatchOrder, body, id)) } }
  if (called === 'PATCH connections')
    return (await web.trickle(id, CandidatesOrder.parse(body))) ? { status: 204 } : none
  return none
}

function readBody<S extends z.ZodType<{ id: string }>>(schema: S, body: unknown, id: string): z.output<S> {
  const parsed = schema.parse(body)
  if (parsed.id !== id) throw new WebRefusalError(404, 'not_found', 'The connection does not exist.')
  return parsed
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) throw new WebRefusalError(413, 'payload_too_large', 'The request is too large.')
    chunks.push(chunk as Buffer)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
