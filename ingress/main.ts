import { config, required } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage.ts'
import { openPoolOnceUp } from '#sql/db.ts'
import { createApp } from './app.ts'
import { areas } from './routes.ts'
import { listen } from './server.ts'

const storage = openStorage()
const stopping = new AbortController()
const db = await openPoolOnceUp(required('DATABASE_URL'), config.DATABASE_POOL)
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
})
const server = await listen(app, config.HOST, config.PORT).catch((error: Error) => {
  log.fatal(error.message)
  process.exit(1)
})

async function stop(signal: string): Promise<void> {
  if (stopping.signal.aborted) return
  log.info({ signal }, 'ingress stopping')
  stopping.abort()
  await server.close(config.SHUTDOWN_GRACE_MS)
  await app.close()
  await db.end()
  log.info('ingress stopped')
  process.exit(0)
}

process.on('SIGTERM', (signal) => void stop(signal))
process.on('SIGINT', (signal) => void stop(signal))
log.info({ host: config.HOST, port: server.port }, 'ingress ready')
