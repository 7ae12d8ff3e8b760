import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** A delivery as it arrived. */
export interface Received {
  path: string
  headers: Record<string, string>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
  event: any
  at: number
}

/** A receiver of webhooks on loopback. */
export interface Receiver {
  url: string
  received: Received[]
  /** Answers what arrives from now on; 204 unless said. */
  answer: (req: IncomingMessage, res: ServerResponse, delivery: Received) => void
  /** Waits until so many deliveries have arrived, on a path if one is named; returns them. */
  has(count: number, path?: string): Promise<Received[]>
}

/** Starts a receiver; it goes with the test. */
export async function testReceiver(t: Scope): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const headers = req.headers as Record<string, string>
    const delivery = { path: req.url ?? '', headers, body, event: JSON.parse(body), at: Date.now() }
    received.push(delivery)
    receiver.answer(req, res, delivery)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (_, res) => void res.writeHead(204).end(),
    async has(count, path) {
      const found = () => received.filter((one) => path === undefined || one.path === path)
      await until(() => found().length >= count, {
        timeout: 30_000,
        what: `${count} deliveries arrive at ${path ?? 'the receiver'}`,
      })
      return found()
    },
  }
  return receiver
}

/** Whether another implementation verifies a delivery by a secret. */
export function verifies(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
