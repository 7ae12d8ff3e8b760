import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { renderMetrics } from './metrics.ts'
import type { Relay } from './relay.ts'

/** Serves `/metrics` for Prometheus, and `/health`: 200, or 503 with the problem. */
export async function serveMetrics(relay: Relay, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const metrics = relay.metrics()
    const path = request.url?.split('?')[0]
    if (path === '/metrics') {
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(renderMetrics(metrics))
    } else if (path === '/health') {
      const { problem, waiting, failed, lagSeconds } = metrics
      response.writeHead(problem === undefined ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ok: problem === undefined, problem, waiting, failed, lag_seconds: lagSeconds }))
    } else {
      response.writeHead(404).end()
    }
  })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}
