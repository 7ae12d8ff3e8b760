import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

/** A request that a file server was sent. */
export interface Asked {
  path: string
  range: string | undefined
  ifRange: string | undefined
}

type Answer = (request: IncomingMessage, response: ServerResponse, number: number) => void

/** A web server with files, each answered as its test says; `number` counts the requests for a path. */
export async function fileServer(t: Scope, answers: Record<string, Answer>) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    const { range, 'if-range': ifRange } = request.headers
    asked.push({ path, range, ifRange: ifRange as string | undefined })
    response.on('error', () => {})
    const answer = answers[path]
    if (answer) answer(request, response, asked.filter((one) => one.path === path).length)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    asked,
    of: (path: string) => asked.filter((one) => one.path === path),
    /** By a name: an address that is not public is refused where it is given. */
    url: (path: string) => `http://localhost:${port}${path}`,
  }
}

/** Answers with a file as a server does that knows ranges; `most` bytes of each answer come, then the connection breaks off. */
export function ranged(
  file: Buffer,
  { tag = '"v1"', most = () => file.length }: { tag?: string; most?: (number: number) => number } = {},
): Answer {
  return (request, response, number) => {
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
    const isSame = request.headers['if-range'] === tag
    const start = isSame ? Number(from) : 0
    const shared = { etag: tag, 'accept-ranges': 'bytes', 'content-length': String(file.length - start) }
    const head = start > 0 ? { ...shared, 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` } : shared
    response.writeHead(start > 0 ? 206 : 200, head)
    const bytes = file.subarray(start, start + most(number))
    if (bytes.length === file.length - start) response.end(bytes)
    else response.write(bytes, () => response.destroy())
  }
}
