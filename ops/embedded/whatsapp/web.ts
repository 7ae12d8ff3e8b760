import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Chats } from './chats.ts'
import type { GraphAnswer, GraphRequest } from './graph-api.ts'
import { displayNumber } from './number.ts'
import type { Phones } from './phones.ts'

const own = (path: string) => readFileSync(new URL(path, import.meta.url))
const files: Record<string, { type: string; bytes: Buffer }> = {
  '/': { type: 'text/html', bytes: own('assets/phone.html') },
  '/phone.css': { type: 'text/css', bytes: own('assets/phone.css') },
  '/phone.js': { type: 'text/javascript', bytes: own('assets/phone.js') },
  '/icon.svg': { type: 'image/svg+xml', bytes: own('../../../ingress/http/html/assets/icon.svg') },
}

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

const bodyLimit = 256 * 1024

const MessageForm = z.object({
  text: z.string().trim().min(1).max(4_096),
  /** Message of the tapped button, and the button’s ID if it has one. */
  tapped: z.object({ message_id: z.string(), id: z.string().optional() }).optional(),
})
const NewPerson = z.object({
  phone: z
    .string()
    .trim()
    .regex(/^\+[1-9]\d{6,14}$/),
})

interface Parts {
  chats: Chats
  phones: Phones
  graph: (request: GraphRequest) => GraphAnswer
  host: string
}

interface Exchange extends Parts {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

export function createWeb(parts: Parts): Server {
  return createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://sandbox')
    if (!url || !isAddressed(request, parts.host))
      return send(response, 403, 'text/plain', 'This is not an address of the sandbox.')
    respond({ ...parts, url, request, response }).catch((error: Error) => {
      if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof RangeError)
        return json(response, 400, {
          error: { code: 100, type: 'OAuthException', message: '(#100) Invalid parameter' },
        })
      process.stderr.write(`${request.method} ${url.pathname} failed: ${error.stack}\n`)
      json(response, 500, { error: { code: 1, type: 'OAuthException', message: '(#1) Unknown error' } })
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

async function respond(exchange: Exchange): Promise<void> {
  const { url, request, response, graph, chats } = exchange
  const { pathname, searchParams: query } = url
  const { method = 'GET' } = request
  const [, path] = /^\/v\d+\.\d+\/(.+)$/.exec(pathname) ?? []
  if (path !== undefined) {
    const isFile = request.headers['content-type']?.startsWith('multipart/form-data') ?? false
    if (isFile) await drained(request)
    const body = method === 'POST' && !isFile ? JSON.parse(await readText(request)) : undefined
    const answer = graph({ method, path, query, authorization: request.headers.authorization, body })
    return json(response, answer.status, answer.body)
  }
  if (method === 'POST') return await change(exchange)
  const file = files[pathname]
  if (file) {
    response.setHeader('content-security-policy', policy)
    return send(response, 200, file.type, file.bytes)
  }
  if (pathname === '/events') return tell(exchange)
  if (pathname === '/chats.json') {
    const shown = chats.list().map((chat) => ({ ...chat, open: chats.isOpen(chat) }))
    return json(response, 200, { number: displayNumber, chats: shown })
  }
  send(response, 404, 'text/plain', 'This page does not exist.')
}

async function change({ url, request, response, chats, phones }: Exchange): Promise<void> {
  // Foreign web pages can also send a form to this address.
  const site = request.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none')
    return send(response, 403, 'text/plain', 'Only the phone’s page can do this.')
  const given = JSON.parse((await readText(request)) || '{}')
  if (url.pathname === '/chats') {
    const chat = chats.open(NewPerson.parse(given).phone.slice(1))
    chats.changed()
    return json(response, 200, { wa_id: chat.wa_id })
  }
  const [, waId = '', verb] = /^\/chats\/(\d+)\/(messages|read)$/.exec(url.pathname) ?? []
  const chat = chats.find(waId)
  if (!chat) return send(response, 404, 'text/plain', 'This person does not exist.')
  if (verb === 'read') phones.read(chat)
  else phones.write(chat, MessageForm.parse(given))
  json(response, 200, {})
}

function tell({ chats, request, response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': watching\n\n')
  const stop = chats.watch(() => response.write('data: changed\n\n'))
  const beat = setInterval(() => response.write(': here\n\n'), 30_000)
  request.once('close', () => {
    stop()
    clearInterval(beat)
  })
}

/** A file that nobody will see is read and discarded. */
async function drained(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
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
