import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Scope } from '../support/postgres.ts'
import { answerGraph, type GraphThings, graphThings } from './graph-things.ts'

/** A request as received by the Cloud API. */
export interface Received {
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  body: any
  wamid: string
}

/** Replaces the normal handling of a request. */
export type Answer = (request: Received, response: ServerResponse) => void

/** A test server with the Cloud API's format and scripted responses. */
export interface CloudApiServer {
  url: string
  received: Received[]
  /** The messages among the requests. */
  sent(): Received[]
  /** Responses to the next message requests in order, and to all others. */
  next: Answer[]
  always: Answer | undefined
  templates: unknown[]
  templatesAnswer: Answer | undefined
  /** Numbers, files and other data of the server. */
  things: GraphThings
}

export const phoneNumberId = '106540352242922'
export const accountId = '102290129340398'
export const accessToken = 'EAAJB-test-token'

/** Returns an error in the Graph API's format. */
export const graphError =
  (code: number, status = 400, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    const error = {
      message: `(#${code}) secret words of the upstream`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: 'more secret words' },
      fbtrace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam',
    }
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers })
    response.end(JSON.stringify({ error }))
  }

/** Closes the connection without sending a byte. */
export const hangUp: Answer = (_, response) => void response.socket?.destroy()

/** Starts the server. The test's teardown stops it. */
export async function cloudApiServer(t: Scope): Promise<CloudApiServer> {
  const sockets = new Set<Socket>()
  const api: CloudApiServer = {
    url: '',
    received: [],
    sent: () => api.received.filter(({ path }) => path.endsWith('/messages')),
    next: [],
    always: undefined,
    templates: [],
    templatesAnswer: undefined,
    things: graphThings({ phoneNumberId, accountId, accessToken, appSecret: undefined }),
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://api')
    const received: Received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      authorization: request.headers.authorization,
      body: await bodyOf(request),
      wamid: `wamid.${randomBytes(24).toString('base64')}`,
    }
    api.received.push(received)
    if (answerGraph(api, received, response)) return
    if (received.path.endsWith('/message_templates')) {
      return api.templatesAnswer ? api.templatesAnswer(received, response) : listTemplates(api, received, response)
    }
    const answer = api.next.shift() ?? api.always ?? accept
    answer(received, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}

/** Accepts a message like the Cloud API. */
export const accept: Answer = ({ body, wamid }, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
  const contacts = [{ input: body.to, wa_id: body.to }]
  response.end(JSON.stringify({ messaging_product: 'whatsapp', contacts, messages: [{ id: wamid }] }))
}

function listTemplates(api: CloudApiServer, { query }: Received, response: ServerResponse): void {
  const from = Number(query.get('after') ?? 0)
  const data = api.templates.slice(from, from + 2)
  const after = String(from + 2)
  const more = from + 2 < api.templates.length
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
  response.end(
    JSON.stringify({
      data,
      paging: { cursors: { before: 'x', after }, ...(more && { next: `https://graph.facebook.com/…&after=${after}` }) },
    }),
  )
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  if (request.headers['content-type']?.startsWith('multipart/')) return whole.toString('latin1')
  return whole.length > 0 ? JSON.parse(whole.toString()) : undefined
}
