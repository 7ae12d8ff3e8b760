import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

/** What happens to one request on its way. */
export type Fault =
  /** It is answered with this in place of the API; `html` is what a proxy in front of it would say. */
  | { status: number; retry_after?: string; html?: boolean }
  /** The connection is cut, before the API has the request or after it has answered it. */
  | { cut: 'before' | 'after' }
  /** The answer is cut after the event that says this. */
  | { cut_at: string }
  /** It is never answered. */
  | { hang: true }

/** What has come to the proxy by the name of one call. */
export interface Seen {
  verb: string
  path: string
  /** Its idempotency key. */
  key: string | undefined
}

/** A proxy in front of an API: requests to `<url>/<name>/<path>` go to `<path>`, the first of each name through its faults. */
export interface FaultProxy {
  url: string
  seen(name: string): Seen[]
}

/** Starts a proxy; it goes with the test. */
export async function faultProxy(t: Scope, target: string, faults: (name: string) => Fault[]): Promise<FaultProxy> {
  const seen = new Map<string, Seen[]>()
  const server = createServer((request, response) => {
    const [, name = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? []
    const before = seen.get(name) ?? []
    seen.set(name, before)
    const fault = faults(name)[before.length]
    const { 'idempotency-key': key } = request.headers as Record<string, string | undefined>
    before.push({ verb: request.method ?? '', path, key })
    pass(request, response, new URL(path, target), fault)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: (name) => seen.get(name) ?? [] }
}

function pass(request: IncomingMessage, response: ServerResponse, url: URL, fault: Fault | undefined): void {
  if (fault && 'hang' in fault) return
  if (fault && 'cut' in fault && fault.cut === 'before') {
    response.socket?.destroy()
    return
  }
  if (fault && 'status' in fault) {
    const { status, retry_after, html } = fault
    if (retry_after) response.setHeader('retry-after', retry_after)
    response.writeHead(status, { 'content-type': html ? 'text/html' : 'application/json' })
    const error = { code: 'server_error', message: 'A fault of the test.', request_id: 'req-of-the-test' }
    response.end(html ? '<h1>Bad gateway</h1>' : JSON.stringify({ error }))
    return
  }
  const onward = httpRequest(url, { method: request.method, headers: request.headers, agent: false }, (answer) =>
    reply(answer, response, fault),
  )
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

function reply(answer: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
  if (fault && 'cut' in fault) {
    answer.resume().on('end', () => response.socket?.destroy())
    return
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  if (!fault || !('cut_at' in fault)) {
    answer.pipe(response)
    return
  }
  let said = ''
  answer.setEncoding('utf8').on('data', (text: string) => {
    const event = new RegExp(`^.*?${fault.cut_at}.*?\\n\\n`, 's').exec(said + text)
    const passed = event ? event[0].slice(said.length) : text
    said += text
    response.write(passed, () => event && response.socket?.destroy())
    if (event) answer.destroy()
  })
  answer.on('end', () => response.end())
}

/** An address at which nothing listens: nobody else is given a port of this one. */
export async function closedUrl(): Promise<string> {
  const [server, host] = [createServer(), '127.77.7.7']
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://${host}:${port}`
}
