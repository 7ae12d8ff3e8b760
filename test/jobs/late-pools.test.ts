import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.test('a pool whose port is taken is tried again, and the others of its process work meanwhile', async (t) => {
  const stack = await videoStack(t)
  const port = await freePort()
  const holder = createServer().listen(port, '127.0.0.1')
  await once(holder, 'listening')
  const workers = await stack.startWorkers({ ROOMS_PORT: String(port), ROOMS_HOST: '127.0.0.1' }, 'rooms,core')
  const alive = () =>
    stack.db.anyFirst(sql.type(z.object({ pool: z.string() }))`
      select pool from jobs.workers where state = 'alive' order by pool`)
  t.match(workers.lines.join('\n'), /pool rooms could not be started and will be retried[^\n]*EADDRINUSE/)
  t.ok(workers.lines.includes('workers ready: core'))
  t.strictSame(await alive(), ['core'])

  holder.close()
  await once(holder, 'close')
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.status
  await until(async () => (await answers()) === 200, { what: 'the gateway answers', timeout: 30_000 })
  await until(async () => (await alive()).length === 2, { what: 'the pool is on record', timeout: 30_000 })

  await workers.stop()
  t.equal(await workers.ended, 0)
  t.strictSame(await alive(), [])
})
