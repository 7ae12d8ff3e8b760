/** Runs the ingress with the area of the load in a separate process. Otherwise like `ingress/main.ts`. */
import { config, requireVariable } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage/storage.ts'
import { startMetricsServer } from '#lib/telemetry/metrics-server.ts'
import { openPoolOnceUp } from '#sql/db.ts'
import { listen as listenTo } from '#sql/listen.ts'
import { registerSessionUrl } from '#sql/session-url.ts'
import { answersChannel } from '#tasks/queue/ask.ts'
import { areas } from '../../../ingress/areas.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { provide } from '../../../ingress/http/container.ts'
import { listen } from '../../../ingress/http/server.ts'
import { signingSecret, storage } from '../../../ingress/http/services.ts'
import { chaosArea } from './area.ts'

const [stranger = ''] = process.argv.slice(2)
await startMetricsServer()
const url = requireVariable('DATABASE_URL')
const pooledUrl = config.DATABASE_POOLED_URL ?? url
registerSessionUrl(pooledUrl, url)
const db = await openPoolOnceUp(pooledUrl, config.DATABASE_POOL)
const listener = listenTo(url, [answersChannel])
const app = createApp({
  db,
  areas: [...areas, chaosArea(listener, stranger)],
  services: [provide(storage, openStorage()), provide(signingSecret, requireVariable('SIGNING_SECRET'))],
})
const server = await listen(app, config.HOST, config.PORT)
log.info({ port: server.port }, 'ingress ready')
process.on('SIGTERM', async () => {
  await server.close(config.SHUTDOWN_GRACE_MS)
  await app.close()
  await listener.close()
  await db.end()
  process.exit(0)
})
