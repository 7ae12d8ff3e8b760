import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { config } from '../config.ts'
import { describe } from '../errors.ts'
import { log } from '../log.ts'
import { hashSecret } from '../tokens.ts'
import { observeLoopDelay } from './loop-delay.ts'
import { contentTypes, renderMetrics } from './metrics.ts'

export interface MetricsAddress {
  host: string
  port: number
  token?: string | undefined
  off?: (() => Record<string, string>) | undefined
}

export interface MetricsServer {
  port: number
  close(): Promise<void>
}

/**
 * Serves metrics if they are configured. If the port is in use, logs an error, and the process continues without
 * metrics.
 */
export async function startMetricsServer(off?: MetricsAddress['off']): Promise<MetricsServer | undefined> {
  const { HOST: host, METRICS_PORT: port, METRICS_TOKEN: token } = config
  if (port === 0) return undefined
  try {
    const server = await serveMetrics({ host, port, token, off })
    observeLoopDelay()
    return server
  } catch (error) {
    log.error({ err: describe(error) }, 'METRICS_PORT is not available: this process does not serve metrics')
    return undefined
  }
}

/**
 * Serves `/metrics` and `/healthz` on a separate port that API clients cannot reach. Rejects if the address cannot be
 * bound.
 */
export async function serveMetrics({ host, port, token, off = () => ({}) }: MetricsAddress): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000 }, (req, res) => {
    answer(req, res, token, off()).catch(() => res.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  token: string | undefined,
  off: Record<string, string>,
): Promise<void> {
  const [path] = (req.url ?? '').split('?')
  if (req.method !== 'GET' && req.method !== 'HEAD')
    return send(res, 405, 'Only GET is supported.\n', { allow: 'GET, HEAD' })
  if (path === '/healthz') return send(res, 200, health(off), { 'content-type': 'application/json' })
  if (path !== '/metrics') return send(res, 404, 'This port serves only /metrics and /healthz.\n')
  if (token !== undefined && !carries(req, token)) {
    return send(res, 401, 'Authorization: Bearer <METRICS_TOKEN> is required.\n', { 'www-authenticate': 'Bearer' })
  }
  const format = req.headers.accept?.includes('application/openmetrics-text') ? 'openMetrics' : 'prometheus'
  send(res, 200, await renderMetrics(format), { 'content-type': contentTypes[format] })
}

/** A degraded process is healthy, because a restart would not fix it. */
const health = (off: Record<string, string>) =>
  JSON.stringify(Object.keys(off).length > 0 ? { status: 'degraded', off } : { status: 'ok' })

function carries(req: IncomingMessage, token: string): boolean {
  const [, given = ''] = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '') ?? []
  return timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(token)))
}

function send(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers })
  res.end(body)
}
