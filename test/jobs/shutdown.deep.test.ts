import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain } from './work.ts'

const { url, db } = await testDatabase(t)
await installEffects(db)

const count = z.object({ count: z.number() })
const lockedJobs = sql.type(
  count,
)`select count(*)::integer as count from jobs_core._private_jobs where locked_by is not null`
const starts = sql.type(count)`select count(*)::integer as count from effects where phase = 'start'`
const clear = () => db.query(sql.unsafe`truncate effects, gates, jobs_core._private_jobs`)

t.test('with the library’s own settings SIGTERM leaves last jobs locked', async (t) => {
  await clear()
  for (let round = 1; round <= 3; round++) {
    await enqueue(db, plain, { name: `stock ${round}`, gate: `stock ${round}` })
    const worker = await startWorker(t, url, { stock: true, concurrency: 1 })
    await until(async () => (await db.oneFirst(starts)) === round)
    worker.process.kill('SIGTERM')
    await openGate(db, `stock ${round}`)
    await worker.ended
    t.equal((await effects(db, `stock ${round}`)).at(-1)?.phase, 'end', 'it had come to its end')
  }
  t.ok((await db.oneFirst(lockedJobs)) > 0, 'and would run again in four hours')
})
