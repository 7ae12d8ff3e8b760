import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { installEffects, openGate, plain, precious } from './work.ts'

const { url, db } = await testDatabase(t)
await installEffects(db)

const count = z.object({ count: z.number() })
const allJobs = sql.type(count)`select count(*)::integer as count from jobs_core._private_jobs`
const starts = sql.type(count)`select count(*)::integer as count from effects where phase = 'start'`
const clear = () => db.query(sql.unsafe`truncate effects, gates, jobs_core._private_jobs`)

t.test('SIGTERM loses no completion: 0 of 50', async (t) => {
  await clear()
  for (let round = 0; round < 2; round++) {
    const names = Array.from({ length: 25 }, (_, i) => ({ name: `completes ${round} ${i}`, gate: `go ${round}` }))
    await enqueueMany(db, plain, names)
    const worker = await startWorker(t, url, { concurrency: 25 })
    await until(async () => (await db.oneFirst(starts)) === 25 * (round + 1))
    worker.process.kill('SIGTERM')
    await openGate(db, `go ${round}`)
    t.equal(await worker.ended, 0)
    t.equal(await db.oneFirst(allJobs), 0, 'every job was completed')
  }
})

t.test('a job that outlasts the grace period is handed back at no cost of an attempt', async (t) => {
  await clear()
  const id = await enqueue(db, precious, { name: 'long', gate: 'go' })
  await enqueue(db, plain, { name: 'long, untracked', gate: 'go' })
  const worker = await startWorker(t, url, { grace: 100 })
  await until(async () => (await db.oneFirst(starts)) === 2)
  worker.process.kill('SIGTERM')
  t.equal(await worker.ended, 0)
  t.match(await runs.find(db, id), { state: 'waiting' })
  const attempts = await db.anyFirst(sql.type(z.object({ attempts: z.number() }))`
    select attempts from jobs_core._private_jobs where locked_by is null`)
  t.strictSame(attempts, [0, 0])
  await openGate(db, 'go')
  await startWorker(t, url)
  await until(async () => (await db.oneFirst(allJobs)) === 0)
  t.match(await runs.find(db, id), { state: 'done' })
})

const isFetching = (tx: Db) =>
  tx.exists(sql.type(z.object({ pid: z.number() }))`
    select pid from pg_locks where not granted and relation = 'jobs_core._private_jobs'::regclass`)

t.test('a job that arrives after the grace period does not start, and keeps its attempts', async (t) => {
  await clear()
  const id = await enqueue(db, precious, { name: 'long', gate: 'go' })
  const worker = await startWorker(t, url, { grace: 100 })
  await until(async () => (await db.oneFirst(starts)) === 1)
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`lock table jobs_core._private_jobs in share row exclusive mode`)
    await enqueue(tx, plain, { name: 'late', gate: 'go' })
    await until(() => isFetching(tx))
    worker.process.kill('SIGTERM')
    await until(async () => (await runs.find(tx, id))?.state === 'waiting')
  })
  t.equal(await worker.ended, 0)
  t.equal(await db.oneFirst(starts), 1, 'only the first job started')
  const attempts = await db.anyFirst(sql.type(z.object({ attempts: z.number() }))`
    select attempts from jobs_core._private_jobs where locked_by is null`)
  t.strictSame(attempts, [0, 0])
})

t.test('what was fetched ahead goes back, unspent', async (t) => {
  await clear()
  await enqueueMany(
    db,
    plain,
    Array.from({ length: 100 }, (_, i) => ({ name: `ahead ${i}`, gate: 'go' })),
  )
  const worker = await startWorker(t, url, { concurrency: 2, fetchAhead: 50, grace: 100 })
  await until(async () => (await db.oneFirst(starts)) === 2)
  worker.process.kill('SIGTERM')
  t.equal(await worker.ended, 0)
  const waiting = await db.one(sql.type(count.extend({ attempts: z.number() }))`
    select count(*)::integer as count, sum(attempts)::integer as attempts from jobs_core._private_jobs where locked_by is null`)
  t.strictSame(waiting, { count: 100, attempts: 0 })
})
