import { config } from '#lib/config.ts'
import { openPool } from '#sql/db.ts'
import { type AppOptions, createApp } from '../../../ingress/http/app.ts'
import { listen } from '../../../ingress/http/server.ts'
import { sendResult } from './child.ts'

export async function serveAreas(url: string, options: Omit<AppOptions, 'db'>): Promise<void> {
  const db = await openPool(url, config.DATABASE_POOL)
  const app = createApp({ db, ...options })
  const server = await listen(app, '127.0.0.1', 0)
  sendResult({ port: server.port })
  process.on('SIGTERM', async () => {
    await server.close(1_000)
    await app.close()
    await db.end()
    process.exit(0)
  })
}
