import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { installEffects, plain } from './work.ts'

const backlog = 2_000

t.test('a claim does not read the whole backlog where statistics take the queue for empty', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  await believedEmpty(db)
  await add(db)
  const before = await reads(db)
  const begun = Date.now()
  const worker = await startWorker(t, url, { fetchAhead: 64 })
  await until(async () => (await ended(db)) === backlog, { what: 'all have run' })
  worker.process.kill('SIGTERM')
  await worker.ended
  const seconds = Math.ceil((Date.now() - begun) / 1_000)
  const after = await reads(db)
  // Only the count of jobs at a worker’s start can read it, and once a second the ageing of jobs.
  const whole = after.whole - before.whole - seconds
  t.ok(whole < 10, `it was read from end to end ${whole} times, apart from one per second`)
  const each = (after.byKey - before.byKey) / backlog
  t.ok(each < 40, `${Math.round(each)} entries of the key were read for each job`)
})

const add = async (db: Db) =>
  await db.transaction((tx) =>
    enqueueMany(
      tx,
      plain,
      Array.from({ length: backlog }, () => ({ name: 'one of many' })),
    ),
  )

/** Makes the planner assume a table with many pages and one locked job. */
async function believedEmpty(db: Db): Promise<void> {
  await db.query(sql.unsafe`alter table jobs_core._private_jobs set (autovacuum_enabled = false)`)
  await add(db)
  await db.query(sql.unsafe`
    delete from jobs_core._private_jobs where id < (select max(id) from jobs_core._private_jobs)`)
  await db.query(sql.unsafe`update jobs_core._private_jobs set locked_at = now(), locked_by = 'another'`)
  await db.query(sql.unsafe`vacuum analyze jobs_core._private_jobs`)
}

const ended = (db: Db) => db.oneFirst(sql.typeAlias('count')`select count(*) from effects where phase = 'end'`)

const reads = async (db: Db) =>
  await db.one(sql.type(z.object({ whole: z.number(), byKey: z.number() }))`
    select seq_scan as whole, (
        select idx_tup_read from pg_stat_user_indexes as i where i.relid = t.relid and indexrelname like '%pkey%') as "byKey"
    from pg_stat_user_tables as t where schemaname = 'jobs_core' and relname = '_private_jobs'`)
