import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { attachmentHeader } from '#lib/attachment.ts'
import { type Authentication, authenticate, type Resolve } from './authentication.ts'
import { listPage, messagePage, missingPage, tabs } from './pages.ts'
import type { CaughtMessage, Store } from './store.ts'
import { asJson, factsOf, view } from './view.ts'

const own = (path: string) => readFileSync(new URL(path, import.meta.url))
const console = (sheet: string) => own(`../../../ingress/http/html/assets/styles/${sheet}.css`)
const tokens = own('../../../ingress/http/html/tokens.css')
const sheets = ['base', 'header', 'controls', 'figures', 'tables', 'states', 'arrangement', 'phone']
const files: Record<string, { type: string; bytes: Buffer }> = {
  '/catcher.css': {
    type: 'text/css',
    bytes: Buffer.concat([tokens, ...sheets.map(console), own('assets/catcher.css')]),
  },
  '/catcher.js': { type: 'text/javascript', bytes: own('assets/catcher.js') },
  '/icon.svg': { type: 'image/svg+xml', bytes: own('../../../ingress/http/html/assets/icon.svg') },
}

const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'",
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
].join('; ')

/**
 * Policy for a message’s HTML: no scripts and no forms. Only images can be loaded, and external images only on request.
 */
const mailPolicy = (withImages: boolean): string =>
  `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:${
    withImages ? ' https: http:' : ''
  }; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`

const perPage = 200

interface Exchange {
  store: Store
  resolver: Resolve
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

export function createWeb(store: Store, resolver: Resolve, host: string): Server {
  return createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://catcher')
    if (!url || !isAddressed(request, host))
      return send(response, 403, 'text/plain', 'This is not an address of the mail catcher.')
    respond({ store, resolver, url, request, response }).catch((error: Error) => {
      process.stderr.write(`${request.method} ${url.pathname} failed: ${error.stack}\n`)
      if (response.headersSent) response.destroy()
      else send(response, 500, 'text/plain', 'This message cannot be shown. Add .eml to its URL to get its source.')
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
  const { store, url, request, response } = exchange
  const { pathname, searchParams } = url
  const [, id, rest] = /^\/messages\/([0-9a-f-]{36})(.*)$/.exec(pathname) ?? []
  if (['POST', 'DELETE'].includes(request.method ?? '')) return await change(exchange)
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, 405, 'text/plain', 'GET, POST or DELETE')
  const file = files[pathname]
  if (file) return send(response, 200, file.type, file.bytes)
  if (pathname === '/events') return tell(exchange)
  const query = searchParams.get('q') ?? ''
  if (pathname === '/messages.json')
    return json(response, { messages: store.list(query).slice(0, limitOf(searchParams)) })
  if (pathname === '/') {
    const found = store.list(query)
    return page(
      response,
      200,
      listPage(found.slice(0, perPage), { query, found: found.length, kept: store.list().length }),
    )
  }
  const caught = id === undefined ? undefined : store.find(id)
  if (caught) return await showOne(exchange, caught, rest ?? '')
  page(response, 404, missingPage())
}

const limitOf = (query: URLSearchParams): number => Math.min(1_000, Math.max(1, Number(query.get('limit')) || perPage))

async function change({ store, url, request, response }: Exchange): Promise<void> {
  // Foreign web pages can also send a form to this address.
  const site = request.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none')
    return send(response, 403, 'text/plain', 'Only the mail catcher’s page can do this.')
  if (url.pathname !== '/messages') return send(response, 404, 'text/plain', 'Only /messages can be deleted.')
  request.resume()
  await store.clear()
  if (request.method === 'DELETE') return send(response, 204, 'text/plain', '')
  response.writeHead(303, { location: '/' }).end()
}

async function showOne(exchange: Exchange, caught: CaughtMessage, rest: string): Promise<void> {
  const { store, resolver, url, response } = exchange
  if (rest === '.eml') {
    response.setHeader('content-disposition', attachmentHeader(`${caught.id}.eml`))
    return send(response, 200, 'message/rfc822', await store.source(caught.id))
  }
  const shown = await view(store, caught)
  const withImages = url.searchParams.has('images')
  if (rest === '/html') {
    response.setHeader('content-security-policy', mailPolicy(withImages))
    response.setHeader('referrer-policy', 'no-referrer')
    return send(response, 200, 'text/html', `<!doctype html><base target="_blank">${shown.html ?? ''}`)
  }
  const [, number] = /^\/attachments\/(\d+)$/.exec(rest) ?? []
  const wanted = number === undefined ? undefined : shown.attachments[Number(number)]
  if (wanted) {
    response.setHeader('content-disposition', attachmentHeader(factsOf(wanted).filename))
    return send(response, 200, 'application/octet-stream', wanted.content)
  }
  if (rest !== '' && rest !== '.json') return page(response, 404, missingPage())
  const source = await store.source(caught.id)
  const authentication: Authentication = await authenticate(source, resolver)
  if (rest === '.json') return json(response, asJson(shown, authentication))
  const tab = tabs.find((one) => one === url.searchParams.get('show'))
  page(response, 200, messagePage(shown, { authentication, source, tab, withImages }))
}

function tell({ store, request, response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': watching\n\n')
  const stop = store.watch(() => response.write('data: changed\n\n'))
  const beat = setInterval(() => response.write(': here\n\n'), 30_000)
  request.once('close', () => {
    stop()
    clearInterval(beat)
  })
}

function page(response: ServerResponse, status: number, text: string): void {
  response.setHeader('content-security-policy', pagePolicy)
  response.setHeader('x-frame-options', 'DENY')
  send(response, status, 'text/html', text)
}

const json = (response: ServerResponse, body: unknown): void =>
  send(response, 200, 'application/json', JSON.stringify(body))

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  const isText = /^text\/|json$/.test(type)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('cache-control', 'no-store')
  response.writeHead(status, { 'content-type': isText ? `${type}; charset=utf-8` : type }).end(body)
}
