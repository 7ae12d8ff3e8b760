import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import { age } from '#sql/jobs/ageing.ts'
import * as backlogs from '#sql/jobs/backlogs.ts'
import * as parking from '#sql/jobs/parking.ts'
import { BacklogEntry } from '#tasks/queue/backlog-entry.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { type EnqueueOptions, enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { agedLevel, levelSize } from '#tasks/queue/fairness.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { installEffects, openGate, plain } from './work.ts'

const Count = z.object({ count: z.number() })

async function scene(t: Scope) {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  const sync = new BacklogSync(db)
  t.teardown(() => sync.stop())
  const add = (orgId: string, names: string[], options: EnqueueOptions & { gate?: string } = {}) => {
    const { gate, ...rest } = options
    return enqueueMany(
      db,
      plain,
      names.map((name) => ({ name, ...(gate && { gate }) })),
      { orgId, ...rest },
    )
  }
  return { url, db, add }
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} ${i}`)

const columns = (db: Db, orgId: string) =>
  db.anyFirst(sql.type(z.object({ priority: z.number() }))`
    select priority from jobs_core._private_jobs where payload ->> 'org' = ${orgId} order by id`)

const recorded = (db: Db, orgId: string) =>
  db.oneFirst(sql.type(Count)`
    select coalesce(sum(waiting), 0)::integer as count from jobs.shares where pool = 'core' and org_id = ${orgId}`)

const waitingNow = (db: Db, orgId: string) =>
  db.oneFirst(sql.type(Count)`
    select count(*)::integer as count from jobs_core._private_jobs where is_available and payload ->> 'org' = ${orgId}`)

const starts = (db: Db) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from effects where phase = 'start' order by id`)

const recount = (db: Db) => backlogs.recount(db, 'core', 'jobs_core', levelSize)

t.test('behind 20,000 waiting jobs of another, a job starts when the first hand is free', async (t) => {
  const { url, db, add } = await scene(t)
  const [a, b] = [newId(), newId()]
  await add(a, Array(4).fill('A'), { gate: 'first' })
  await add(a, Array(20_000).fill('A'), { gate: 'go' })
  await startWorker(t, url, { concurrency: 4 })
  await until(async () => (await starts(db)).length === 4)
  await add(b, ['B'])
  await openGate(db, 'first')
  // Four slots start one job each. All except B would wait at the gate.
  await until(async () => (await starts(db)).length >= 8)
  t.ok((await starts(db)).includes('B'), 'it is among the first four')
  t.ok((await waitingNow(db, a)) > 19_000, 'and the flood still waits')
})

t.test('the oldest jobs run although others keep adding first ones', async (t) => {
  const { url, db, add } = await scene(t)
  await add(newId(), named('A', 3))
  for (const [i, name] of named('C', 60).entries()) await add(newId(), [name], i === 40 ? { gate: 'go' } : {})
  await startWorker(t, url, { concurrency: 1, sweep: 50, agedAfter: 0 })
  await until(async () => (await starts(db)).includes('C 40'))
  // C uses the only slot for 40 jobs. By then A’s last two have run, or are aged and next.
  const left = async () =>
    db.oneFirst(sql.type(Count)`
      select count(*)::integer as count from jobs_core._private_jobs
      where payload -> 'payload' ->> 'name' like 'A%' and priority >= 0`)
  await until(async () => (await left()) === 0)
  await openGate(db, 'go')
  await until(async () => (await starts(db)).includes('C 59'))
  const order = await starts(db)
  for (const name of ['A 1', 'A 2']) t.ok(order.indexOf(name) < order.indexOf('C 59'), `${name} before the last of C`)
})

t.test('of due jobs the oldest are aged, few at a time, with the priority they had; paused ones are not', async (t) => {
  const { db, add } = await scene(t)
  const org = newId()
  await add(org, named('urgent', 8))
  await add(org, named('other', 8), { priority: 10 })
  await add(org, ['future'], { at: new Date(Date.now() + 3_600_000) })
  const ageUpTo = (most: number, afterMs = 0) =>
    age(db, { pool: 'core', queue: 'jobs_core', afterMs, most, levelSize, agedLevel })
  const aged = async () => (await columns(db, org)).filter((column) => column < 0)
  t.equal(await ageUpTo(4, 3_600_000), 0, 'none has been due for an hour')
  await db.query(sql.typeAlias('void')`
    insert into jobs.pauses (pool, task, paused_by) values ('core', ${plain.name}, 'test')`)
  t.equal(await ageUpTo(4), 0, 'the task is paused')
  await db.query(sql.typeAlias('void')`delete from jobs.pauses`)
  t.equal(await ageUpTo(4), 4)
  t.strictSame(
    (await columns(db, org)).slice(0, 5).map((column) => column < 0),
    [true, true, true, true, false],
  )
  t.equal(await ageUpTo(4), 0, 'while four of them wait, no more are')
  await db.query(sql.typeAlias('void')`
    update jobs_core._private_jobs set run_at = now() + interval '1 minute' where priority < 0`)
  t.equal(await ageUpTo(4), 4, 'those that went back to wait for their share keep none from it')
  t.equal(await ageUpTo(100), 8)
  t.strictSame(
    (await aged()).toSorted((x, y) => x - y),
    [...Array(8).fill(-1_000), ...Array(8).fill(-990)],
  )
})

t.test('an organisation’s urgent job does not stand behind its own flood, but its flood behind others', async (t) => {
  const { db, add } = await scene(t)
  const [a, b] = [newId(), newId()]
  await add(a, named('vod', 1_000), { priority: 10 })
  await add(a, ['live'], { priority: 0 })
  await add(a, ['more vod'], { priority: 10 })
  await add(b, ['vod of b'], { priority: 10 })
  await enqueue(db, plain, { name: 'system' }, { priority: 3 })
  const found = await columns(db, a)
  t.strictSame([...found.slice(0, 4), ...found.slice(-3)], [10, 1_010, 1_010, 2_010, 9_010, 0, 9_010])
  t.strictSame(await columns(db, b), [10])
  const plainly = sql.type(z.object({ priority: z.number() }))`
    select priority from jobs_core._private_jobs where payload -> 'org' is null`
  t.strictSame(await db.anyFirst(plainly), [3])
  await t.rejects(add(a, ['too late'], { priority: 1_000 }), RangeError)
})

t.test('what waits is counted by whoever enqueues and whoever works, a replaced job once', async (t) => {
  const { url, db, add } = await scene(t)
  const org = newId()
  await add(org, named('A', 20))
  for (const name of ['first', 'second', 'third']) await add(org, [name], { key: 'one' })
  await add(org, ['future'], { at: new Date(Date.now() + 3_600_000) })
  await until(async () => (await recorded(db, org)) === 21)
  await startWorker(t, url, {})
  await until(async () => (await recorded(db, org)) === 0)
  await until(async () => (await starts(db)).length === 21)
})

t.test('a retried and a handed back job keep their level', async (t) => {
  const { url, db, add } = await scene(t)
  const org = newId()
  await add(org, named('waits', 3), { gate: 'never' })
  await enqueue(db, plain, { name: 'throws', how: 'throw' }, { orgId: org })
  const before = await columns(db, org)
  t.strictSame(before, [0, 1_000, 1_000, 2_000])
  const worker = await startWorker(t, url, { grace: 100 })
  const failed = sql.type(Count)`
    select count(*)::integer as count from jobs_core._private_jobs where last_error = 'no luck' and locked_at is null`
  await until(async () => (await db.oneFirst(failed)) === 1 && (await starts(db)).length >= 4)
  worker.process.kill('SIGTERM')
  await worker.ended
  t.strictSame(await columns(db, org), before)
})

t.test('what a killed worker left uncounted is put right by a recount', async (t) => {
  const { url, db, add } = await scene(t)
  const [org, idle] = [newId(), newId()]
  await add(org, named('A', 400))
  await until(async () => (await recorded(db, org)) === 400)
  const worker = await startWorker(t, url)
  await until(async () => (await starts(db)).length >= 100)
  worker.process.kill('SIGKILL')
  await worker.ended
  await backlogs.add(db, [{ pool: 'core', org_id: idle, priority: 0, waiting: 77, begun: 0 }])
  // A claim that was in progress when its process was killed can still succeed.
  await until(async () => {
    await recount(db)
    return (await recorded(db, org)) === (await waitingNow(db, org))
  })
  t.equal(await recorded(db, idle), 0)
  await startWorker(t, url)
  await until(async () => (await waitingNow(db, org)) === 0)
  await until(async () => {
    await recount(db)
    return (await recorded(db, org)) === 0
  })
})

t.test('what is held back with its task still counts as waiting', async (t) => {
  const { db, add } = await scene(t)
  const org = newId()
  await add(org, named('held', 5))
  await add(org, ['held till later'], { at: new Date(Date.now() + 3_600_000) })
  await until(async () => (await recorded(db, org)) === 5)
  await db.query(sql.typeAlias('void')`
    insert into jobs.pauses (pool, task, paused_by) values ('core', ${plain.name}, 'test')`)
  t.match(await parking.applyPauses(db, { pool: 'core', schema: 'jobs_core' }, 100), { parked: 6 })
  await recount(db)
  t.equal(await recorded(db, org), 5)
})

t.test('a transaction that is rolled back leaves no count after the next recount', async (t) => {
  const { db } = await scene(t)
  const org = newId()
  const rolledBack = db.transaction(async (tx) => {
    await enqueue(tx, plain, { name: 'never' }, { orgId: org })
    throw new Error('no')
  })
  await t.rejects(rolledBack)
  await until(async () => (await recorded(db, org)) === 1)
  await recount(db)
  t.equal(await recorded(db, org), 0)
})

t.test('a reading that began before a change was written does not take it back', async (t) => {
  const entry = new BacklogEntry('core', newId())
  const before = performance.now()
  entry.read([], before)
  entry.count(0, 1)
  entry.send()
  entry.read([], performance.now())
  t.equal(entry.waiting(), 1, 'while it is being written')
  entry.written()
  entry.read([], before)
  t.equal(entry.waiting(), 1, 'and after it')
  entry.read([], performance.now())
  t.equal(entry.waiting(), 0, 'a later one is believed')
})
