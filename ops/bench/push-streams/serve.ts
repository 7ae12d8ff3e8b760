/** An ingress with the push area alone, in a process of its own; answers its port. */
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { provide } from '../../../ingress/http/container.ts'
import { listen } from '../../../ingress/http/server.ts'
import { signingSecret } from '../../../ingress/http/services.ts'
import { push } from '../../../ingress/push/index.ts'
import { answer } from '../child.ts'

const { url, secret } = JSON.parse(process.argv[2] ?? '{}') as { url: string; secret: string }
const db = await openPool(url, config.DATABASE_POOL)
const app = createApp({ db, areas: [push], services: [provide(signingSecret, secret)] })
const server = await listen(app, '127.0.0.1', 0)
answer({ port: server.port })
process.on('SIGTERM', async () => {
  await server.close(0)
  await app.close()
  await db.end()
  process.exit(0)
})
