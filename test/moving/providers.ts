import type { IncomingMessage, ServerResponse } from 'node:http'
import { providerUrl, setHandler } from '../support/moving-environment.ts'

export interface Seen {
  method: string
  path: string
  key: string
}

// biome-ignore lint/suspicious/noExplicitAny: the stand-in returns bodies of every shape.
type Answer = { status?: number; headers?: Record<string, string>; body: any }

/** Keys that the stand-in accepts. */
export const keys = {
  resend: 're_GoodKey_0123456789',
  postmark: '0a0b0c0d-1111-2222-3333-444455556666',
  sendgrid: 'SG.good.key-0123456789',
  mux: 'mux-id:mux-secret-0123456789',
}

const accepted = new Set([
  `Bearer ${keys.resend}`,
  `Bearer ${keys.sendgrid}`,
  `Basic ${Buffer.from(keys.mux).toString('base64')}`,
  keys.postmark,
])

/** A stand-in for the APIs of the providers, with the shapes of their public documentation. `answers` are by path. */
export function providers() {
  const seen: Seen[] = []
  const answers = new Map<string, (url: URL, request: IncomingMessage) => Answer | Promise<Answer>>()
  setHandler(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://provider.test')
    const key = String(request.headers.authorization ?? request.headers['x-postmark-server-token'] ?? '')
    seen.push({ method: request.method ?? '', path: `${url.pathname}${url.search}`, key })
    const isOpen = url.pathname.startsWith('/stream') || url.pathname.startsWith('/files')
    if (!isOpen && !accepted.has(key)) return send(response, { status: 401, body: refusalOf(url, key) })
    const answer = answers.get(url.pathname)
    send(response, answer ? await answer(url, request) : { status: 404, body: { message: 'not found' } })
  })
  return {
    base: providerUrl,
    seen,
    answers,
    /** Returns these objects page by page with `limit` and `after`, as Resend does. */
    resendList(path: string, all: readonly { id: string }[]) {
      answers.set(path, ({ searchParams }) => {
        const limit = Number(searchParams.get('limit') ?? 20)
        const from = all.findIndex(({ id }) => id === searchParams.get('after')) + 1
        const data = all.slice(from, from + limit)
        return { body: { object: 'list', has_more: from + limit < all.length, data } }
      })
    },
    /** Returns these rows with `limit` and `offset`, as SendGrid does. */
    sendgridList(path: string, all: readonly object[]) {
      answers.set(path, ({ searchParams }) => {
        const [limit, offset] = ['limit', 'offset'].map((name) => Number(searchParams.get(name) ?? 0))
        return { body: all.slice(offset, (offset ?? 0) + (limit ?? 0)) }
      })
    },
  }
}

function refusalOf({ pathname }: URL, key: string): object {
  if (pathname.startsWith('/v3/'))
    return { errors: [{ message: 'The provided authorization grant is invalid', field: null }] }
  if (pathname.startsWith('/video/')) return { error: { type: 'unauthorized', messages: ['Unauthorized request'] } }
  if (pathname.startsWith('/message-streams')) return { ErrorCode: 10, Message: `Bad or missing API token ${key}.` }
  return { statusCode: 401, name: 'validation_error', message: `API key ${key.replace('Bearer ', '')} is invalid` }
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
