import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

/** A request as received by the provider. */
export interface Received {
  method: string
  path: string
  authorization: string | undefined
  headers: IncomingMessage['headers']
  raw: string
  form: URLSearchParams
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  json: any
}

/** Replaces the normal response to a request. */
export type Answer = (request: Received, response: ServerResponse) => void

/** A test server with the formats of Twilio, Vonage and an HTTP API, and scripted responses. */
export interface ProviderServer {
  url: string
  received: Received[]
  /** Responses to the next requests in order. */
  next: Answer[]
  always: Answer | undefined
}

export const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

export const twilioError = (code: number, status = 400): Answer =>
  reply(status, { code, message: 'secret words of the provider', more_info: '', status })

/** Reads the request and closes the connection without a response. */
export const hangUp: Answer = (_, response) => {
  response.destroy()
}

/** Reads the request and never responds. */
export const silence: Answer = () => {}

function usual({ path }: Received, response: ServerResponse, number: number): void {
  const id = String(number).padStart(32, '0')
  const isTwilio = path.startsWith('/2010-04-01/')
  response.writeHead(isTwilio ? 201 : path === '/v1/messages' ? 202 : 200, { 'content-type': 'application/json' })
  if (isTwilio) response.end(JSON.stringify({ sid: `SM${id}`, status: 'queued', num_segments: '1' }))
  else if (path === '/v1/messages') response.end(JSON.stringify({ message_uuid: `uuid-${id}` }))
  else response.end(JSON.stringify({ messages: [{ id: `http-${id}` }] }))
}

export async function providerServer(t: Scope): Promise<ProviderServer> {
  const made: ProviderServer = { url: '', received: [], next: [], always: undefined }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const isJson = request.headers['content-type']?.includes('json') && raw !== ''
    const seen: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization,
      headers: request.headers,
      raw,
      form: new URLSearchParams(isJson ? '' : raw),
      json: isJson ? JSON.parse(raw) : undefined,
    }
    made.received.push(seen)
    const answer = made.next.shift() ?? made.always
    if (answer) answer(seen, response)
    else usual(seen, response, made.received.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return made
}
