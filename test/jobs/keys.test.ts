import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { installEffects, plain, precious } from './work.ts'

const { db } = await testDatabase(t)
await installEffects(db)

const waits = sql.type(z.object({ pid: z.number() }))`
  select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Runs `work` while a worker’s fetch of all waiting jobs is not committed. It commits when `work` waits for it. */
async function whileFetched<T>(work: () => Promise<T>): Promise<T> {
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const { promise: commit, resolve: go } = Promise.withResolvers<void>()
  const fetching = db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`
      update jobs_core._private_jobs set locked_by = 'a worker', locked_at = now(), attempts = attempts + 1
      where locked_by is null`)
    lock()
    await commit
  })
  await locked
  const working = work()
  await until(async () => (await db.any(waits)).length > 0, { what: 'it waits for the fetch' })
  go()
  await fetching
  return await working
}

const waiting = (tx: Db, id: number) =>
  tx.exists(sql.type(z.object({ id: z.number() }))`
    select id from jobs_core._private_jobs where id = ${id} and locked_by is null and key is not null`)

t.test('a job whose key is held by one that is being fetched is added all the same', async (t) => {
  await enqueue(db, plain, { name: 'first' }, { key: 'plain' })
  const payloads = ['without', 'second', 'without too'].map((name) => ({ name }))
  const options = (i: number) => (i === 1 ? { key: 'plain' } : {})
  const ids = await whileFetched(() => enqueueMany(db, plain, payloads, options))
  t.equal(new Set(ids).size, 3)
  t.ok(await waiting(db, Number(ids[1])), 'and its id stands where it belongs')
})

t.test('so is a tracked one, with its run', async (t) => {
  await enqueue(db, precious, { name: 'first' }, { key: 'precious' })
  const id = await whileFetched(() => enqueue(db, precious, { name: 'second' }, { key: 'precious' }))
  const run = await runs.find(db, id)
  t.match(run, { state: 'waiting' })
  t.ok(await waiting(db, run?.job_id as number))
})
