import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, openGate, plain } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 3

const lockedJobs = sql.type(z.object({ count: z.number() }))`
  select count(*)::integer as count from jobs_core._private_jobs where locked_by is not null`

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
  const started = (name: string, times = 1) =>
    until(async () => (await phases(name)).filter((phase) => phase === 'start').length >= times)
  return { url, db, phases, started }
}

t.test('with the library’s own settings that job stays locked', async (t) => {
  const { url, db, started } = await scene(t)
  const first = await startWorker(t, url, { stock: true })
  await enqueue(db, plain, { name: 'stock', gate: 'go' })
  await started('stock')
  first.process.kill('SIGKILL')
  await first.ended
  await startWorker(t, url, { stock: true })
  await enqueue(db, plain, { name: 'proof that the second one works' })
  await started('proof that the second one works')
  t.equal((await effects(db, 'stock')).length, 1)
  t.ok(await db.oneFirst(lockedJobs), 'locked by the dead worker')
})

t.test('with the library’s own settings a stale worker deletes the job another runs', async (t) => {
  const { url, db, started } = await scene(t)
  // One slot each: a second fetch in progress when its process is stopped would lock the job again.
  const stale = await startWorker(t, url, { stock: true, concurrency: 1 })
  await enqueue(db, plain, { name: 'stock', gate: 'go' })
  await started('stock')
  stale.process.kill('SIGSTOP')
  await db.query(sql.unsafe`
    select jobs_core.force_unlock_workers(array(select distinct locked_by from jobs_core._private_jobs))`)
  await openGate(db, 'none')
  const second = await startWorker(t, url, { stock: true, concurrency: 1 })
  await started('stock', 2)
  second.process.kill('SIGSTOP')
  await openGate(db, 'go')
  stale.process.kill('SIGCONT')
  await until(async () => (await db.oneFirst(lockedJobs)) === 0)
  t.pass('the row is gone while its owner has not ended')
  second.process.kill('SIGCONT')
})
