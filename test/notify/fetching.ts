import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { fetch as fetchTask } from '#tasks/notify/fetch.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { secret } from './people.ts'

/** A request that the customer’s server got. */
export interface Got {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** What the server answers: a status and a body, or nothing at all. */
export type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | 'silence'

/** A server of a customer, whose answers the test chooses; it ends with the test. */
export async function customerServer(t: Scope, answer: (got: Got, count: number) => Answer) {
  const got: Got[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    req.on('end', () => {
      const one = { method: req.method as string, path: req.url as string, headers: req.headers, body }
      got.push(one)
      const reply = answer(one, got.filter(({ path }) => path === one.path).length)
      if (reply === 'silence') return
      const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {})
      res.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface FetchSettings {
  concurrency?: number
  share?: { perOrganisation: number }
}

export function fetchPlan({ concurrency = 8, share }: FetchSettings = {}) {
  const outbound = createOutboundClient()
  const plan = {
    pool: 'webhooks' as const,
    settings: { concurrency, fetchAhead: 0, ...(share && { share }) },
    tasks: [fetchTask],
    tools: { outbound, seal: createSeal(secret, sealPurpose) },
  }
  return { plan, outbound }
}

/** Starts a worker that calls customers’ servers; it ends with the test. */
export async function fetchWorker(t: Scope, databaseUrl: string, settings: FetchSettings = {}) {
  const { plan, outbound } = fetchPlan(settings)
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(async () => {
    await fleet.stop()
    await outbound.close()
  })
}
