/** The ingress with the bench's area, in a process of its own; answers its port, and at its end the CPU it took. */
import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { createApp } from '../../../ingress/http/app.ts'
import { listen } from '../../../ingress/http/server.ts'
import { answer } from '../child.ts'
import { bench } from './area.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
const db = await openPool(url, config.DATABASE_POOL)
const app = createApp({ db, areas: [bench] })
const server = await listen(app, '127.0.0.1', 0)
answer({ port: server.port })
process.on('SIGTERM', async () => {
  await server.close(1_000)
  await app.close()
  await db.end()
  process.exit(0)
})
