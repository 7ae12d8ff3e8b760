import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Hooks } from './hooks.ts'
import { type ProviderAnswer, type ProviderRequest, writeAsPerson } from './provider-api.ts'
import type { Threads } from './threads.ts'

const own = (path: string) => readFileSync(new URL(path, import.meta.url))

const files: Record<string, { type: string; bytes: Buffer }> = {
  '/': { type: 'text/html', bytes: own('assets/phone.html') },
  '/phone.js': { type: 'text/javascript', bytes: own('assets/phone.js') },
  '/phone.css': { type: 'text/css', bytes: own('../whatsapp/assets/phone.css') },
  '/icon.svg': { type: 'image/svg+xml', bytes: own('../../../ingress/http/html/assets/icon.svg') },
}

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

const bodyLimit = 64 * 1024

const Written = z.object({ phone: z.string(), text: z.string().trim().min(1).max(1_600) })

interface Parts {
  threads: Threads
  hooks: Hooks
  api: (request: ProviderRequest) => ProviderAnswer
  host: string
}

export function createWeb(parts: Parts): Server {
  return createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://sandbox')
    if (!url || !isAddressed(request, parts.host))
      return send(response, 403, 'text/plain', 'This is not an address of the sandbox.')
    respond(parts, url, request, response).catch((error: Error) => {
      process.stderr.write(`${request.method} ${url.pathname} failed: ${error.message}\n`)
      send(response, 400, 'text/plain', 'The request is invalid.')
    })
  })
}

/**
 * Rejects other host names, because a foreign web page can make its host name resolve to this address (DNS rebinding).
 */
function isAddressed({ headers }: IncomingMessage, host: string): boolean {
  const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(host)
  return isOpen || /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')
}

async function respond(parts: Parts, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = url
  const { method = 'GET' } = request
  if (pathname.startsWith('/2010-04-01/')) {
    const form = new URLSearchParams(method === 'POST' ? await readText(request) : '')
    const answer = parts.api({ method, path: pathname, authorization: request.headers.authorization, form })
    return json(response, answer.status, answer.body)
  }
  if (method === 'POST' && pathname === '/messages') return await write(parts, request, response)
  const file = files[pathname]
  if (file) {
    response.setHeader('content-security-policy', policy)
    return send(response, 200, file.type, file.bytes)
  }
  if (pathname === '/events') return tell(parts, request, response)
  if (pathname === '/threads.json') return json(response, 200, { threads: parts.threads.list() })
  send(response, 404, 'text/plain', 'This page does not exist.')
}

async function write(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Foreign web pages can also send a form to this address.
  const site = request.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none')
    return send(response, 403, 'text/plain', 'Only the phone’s page can do this.')
  const { phone, text } = Written.parse(JSON.parse(await readText(request)))
  const thread = parts.threads.list().find((one) => one.phone === phone)
  if (!thread || !writeAsPerson(parts, thread, text))
    return json(response, 404, { error: 'No message to this person yet.' })
  json(response, 200, {})
}

function tell({ threads }: Parts, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': watching\n\n')
  const stop = threads.watch(() => response.write('data: changed\n\n'))
  const beat = setInterval(() => response.write(': here\n\n'), 30_000)
  request.once('close', () => {
    stop()
    clearInterval(beat)
  })
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) throw new RangeError('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const json = (response: ServerResponse, status: number, body: unknown): void =>
  send(response, status, 'application/json', JSON.stringify(body))

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('cache-control', 'no-store')
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
}
