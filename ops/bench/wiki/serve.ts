/** An ingress with the wiki alone, in a process of its own; answers its port. */
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { listen } from '../../../ingress/http/server.ts'
import { wiki } from '../../../ingress/wiki/index.ts'
import { answer } from '../child.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
const db = await openPool(url, config.DATABASE_POOL)
const app = createApp({ db, areas: [wiki] })
const server = await listen(app, '127.0.0.1', 0)
answer({ port: server.port })
process.on('SIGTERM', async () => {
  await server.close(0)
  await app.close()
  await db.end()
  process.exit(0)
})
