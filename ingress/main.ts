import { config, required } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage/storage.ts'
import { offerMetrics } from '#lib/telemetry/metrics-server.ts'
import { startTracing, tracing } from '#lib/telemetry/tracing.ts'
import { openPoolOnceUp } from '#sql/db.ts'
import { checkQueues } from '#sql/jobs/graphile-schema.ts'
import { observeQueues } from '#tasks/queue/gauges.ts'
import { queues } from '#tasks/queue/pools.ts'
import { observeCertificates } from '#tasks/video/domains/certificate-gauges.ts'
import { areas } from './areas.ts'
import { createApp } from './http/app.ts'
import { inFlight, observe } from './http/measures.ts'
import { listen } from './http/server.ts'
import { listenTls } from './video/tls.ts'

await startTracing()
const storage = openStorage()
const stopping = new AbortController()
const db = await openPoolOnceUp(required('DATABASE_URL'), config.DATABASE_POOL)
await checkQueues(db, queues)
const app = createApp({
  db,
  areas,
  services: {
    storage,
    signingSecret: required('SIGNING_SECRET'),
    checks: { storage: (signal) => storage.check(signal) },
    stopping: stopping.signal,
  },
  trustedProxies: config.TRUSTED_PROXIES,
  observe,
})
observeQueues(db)
observeCertificates(db)
const metrics = await offerMetrics()
const server = await listen(app, config.HOST, config.PORT).catch(cannotListen)
const { TLS_PORT } = config
const secure = TLS_PORT === undefined ? undefined : await listenTls(app, config.HOST, TLS_PORT).catch(cannotListen)
inFlight.watch(() => [{ labels: {}, value: server.answering() + (secure?.answering() ?? 0) }])

function cannotListen(error: Error): never {
  log.fatal(error.message)
  process.exit(1)
}

async function stop(signal: string): Promise<void> {
  if (stopping.signal.aborted) return
  log.info({ signal }, 'ingress stopping')
  stopping.abort()
  await Promise.all([server, secure].map((one) => one?.close(config.SHUTDOWN_GRACE_MS)))
  await app.close()
  await metrics?.close()
  await tracing()?.stop()
  await db.end()
  log.info('ingress stopped')
  process.exit(0)
}

process.on('SIGTERM', (signal) => void stop(signal))
process.on('SIGINT', (signal) => void stop(signal))
log.info({ host: config.HOST, port: server.port, tls_port: secure?.port }, 'ingress ready')
