import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'

export interface Arrived {
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** The server of an organisation to which requests are forwarded. */
export interface Receiver {
  url: string
  arrived: Arrived[]
  /** Answers requests from now on. Default: 204. */
  answer(request: Arrived, response: ServerResponse): void
  /** Waits for so many requests at a path. */
  has(count: number, path: string): Promise<Arrived[]>
}

export async function receiver(t: TestScope): Promise<Receiver> {
  const arrived: Arrived[] = []
  const http = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const request = { path: req.url ?? '', headers: req.headers as Record<string, string>, body: Buffer.concat(chunks) }
    arrived.push(request)
    made.answer(request, res)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.teardown(async () => {
    http.closeAllConnections()
    http.close()
  })
  const made: Receiver = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    arrived,
    answer: (_, response) => void response.writeHead(204).end(),
    async has(count, path) {
      const found = () => arrived.filter((one) => one.path === path)
      await until(() => found().length >= count, { timeout: 30_000, what: `${count} requests arrive at ${path}` })
      return found()
    },
  }
  return made
}
