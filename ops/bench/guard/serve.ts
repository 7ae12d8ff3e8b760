/** The ingress with the guard area, in a process of its own; answers its port. */
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { guard } from '../../../ingress/guard/index.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { provide } from '../../../ingress/http/container.ts'
import { listen } from '../../../ingress/http/server.ts'
import { signingSecret } from '../../../ingress/http/services.ts'
import { answer } from '../child.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
const db = await openPool(url, config.DATABASE_POOL)
const services = [provide(signingSecret, 'a secret of the benchmark, of 32 characters')]
// Visitors have addresses of their own.
const app = createApp({ db, areas: [guard], services, trustedProxies: ['127.0.0.1'] })
const server = await listen(app, '127.0.0.1', 0)
answer({ port: server.port })
process.on('SIGTERM', async () => {
  await server.close(1_000)
  await app.close()
  await db.end()
  process.exit(0)
})
