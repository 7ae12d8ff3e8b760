import { setTimeout as pause } from 'node:timers/promises'
import { getConfiguredCells } from '#lib/cells.ts'
import { config, requireVariable } from '#lib/config.ts'
import { finishLoading } from '#lib/loaded.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage/storage.ts'
import { logCopyConditionSupport } from '#lib/storage/tell-conditions.ts'
import { startMetricsServer } from '#lib/telemetry/metrics-server.ts'
import { startTracing, tracing } from '#lib/telemetry/tracing.ts'
import { openPoolOnceUp } from '#sql/db.ts'
import { checkQueues } from '#sql/jobs/graphile-schema.ts'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { registerSessionUrl } from '#sql/session-url.ts'
import { queues } from '#tasks/pools.ts'
import { observeQueues } from '#tasks/queue/gauges.ts'
import { areas } from './areas.ts'
import { createApp } from './http/app.ts'
import { cellConnectionLimits } from './http/cells/passage.ts'
import { provide } from './http/container.ts'
import { countRequest, requestsInFlight } from './http/metrics.ts'
import { type Listener, listen } from './http/server.ts'
import { draining, signingSecret, stopping, storage } from './http/services.ts'

await finishLoading()
await startTracing()
const cells = getConfiguredCells()
const store = openStorage()
const [leaving, hurry, ending] = [new AbortController(), new AbortController(), new AbortController()]
const url = requireVariable('DATABASE_URL')
const pooledUrl = config.DATABASE_POOLED_URL ?? url
registerSessionUrl(pooledUrl, url)
const db = await openPoolOnceUp(pooledUrl, config.DATABASE_POOL)
await retryUntilConnected(() => checkQueues(db, queues))
const app = createApp({
  db,
  areas,
  services: [
    provide(storage, store),
    provide(signingSecret, requireVariable('SIGNING_SECRET')),
    provide(stopping, ending.signal),
    provide(draining, leaving.signal),
  ],
  trustedProxies: config.TRUSTED_PROXIES,
  cells: cells && { cells, limits: cellConnectionLimits },
  searchConnections: config.DATABASE_SEARCH_POOL,
  replica: config.DATABASE_REPLICA_URL
    ? {
        url: config.DATABASE_REPLICA_URL,
        connections: config.DATABASE_REPLICA_POOL,
        lagMs: config.DATABASE_REPLICA_LAG_SECONDS * 1000,
      }
    : undefined,
  observe: countRequest,
})
observeQueues(app.db)
for (const area of areas) area.observe?.(app.db)
const metrics = await startMetricsServer()
const http: Listener = { name: 'http', listen: (app) => listen(app, config.HOST, config.PORT) }
const listeners = [http, ...areas.flatMap(({ listeners = [] }) => listeners)]
const opened = await Promise.all(listeners.map(open))
const listening = opened.flatMap(({ name, server }) => (server ? { name, server } : []))
requestsInFlight.watch(() => [
  { labels: {}, value: listening.reduce((sum, { server }) => sum + server.answering(), 0) },
])

async function open({ name, listen }: Listener) {
  const server = await listen(app)?.catch((error: Error) => {
    log.fatal(error.message)
    process.exit(1)
  })
  return { name, server }
}

async function stop(signal: string): Promise<void> {
  // This is the second signal, so load balancers have had time to react.
  if (leaving.signal.aborted) return hurry.abort()
  log.info({ signal }, 'ingress stopping')
  leaving.abort()
  for (const { server } of listening) server.drain()
  await pause(config.SHUTDOWN_DELAY_MS, undefined, { signal: hurry.signal }).catch(() => {})
  ending.abort()
  await Promise.all(listening.map(({ server }) => server.close(config.SHUTDOWN_GRACE_MS)))
  await app.close()
  await metrics?.close()
  await tracing()?.stop()
  await db.end()
  log.info('ingress stopped')
  process.exit(0)
}

process.on('SIGTERM', (signal) => void stop(signal))
process.on('SIGINT', (signal) => void stop(signal))
const ports = Object.fromEntries(listening.map(({ name, server }) => [name, server.port]))
log.info({ host: config.HOST, ports }, 'ingress ready')
void logCopyConditionSupport(store)
