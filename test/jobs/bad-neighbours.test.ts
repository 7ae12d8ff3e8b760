import { Client } from 'pg'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { openPool, sql } from '#sql/db.ts'
import * as workers from '#sql/jobs/workers.ts'
import { deleteExpired } from '#sql/retention.ts'
import { pruneAll } from '#tasks/jobs/prune.ts'
import { testDatabase } from '../support/database.ts'

const { url, db } = await testDatabase(t)
await db.query(sql.unsafe`create schema probe`)

t.test('a worker on record of a pool that is no more keeps no lost worker of the others on record', async (t) => {
  for (const [pool, ago] of [
    ['of-old', 3_601],
    ['core', 3_600],
  ] as const) {
    await db.query(sql.unsafe`
      insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, seen_at)
      values (${newId()}, ${pool}, ${pool}, 'h', 1, 1, now() - ${ago} * interval '1 second')`)
  }
  for (let i = 0; i < 4; i++) await workers.sweep(db)
  const States = z.object({ pool: z.string(), state: z.string() })
  t.same(await db.any(sql.type(States)`select pool, state from jobs.workers where state = 'alive'`), [])
})

t.test('rows are kept for their time by the clock of Postgres, whatever that of the worker says', async (t) => {
  await db.query(sql.unsafe`create table probe.by_id (id uuid)`)
  await db.query(sql.unsafe`insert into probe.by_id values (${newId()})`)
  const { now } = Date
  t.teardown(() => Object.assign(Date, { now }))
  Date.now = () => now() + 40 * 24 * 3_600_000
  await deleteExpired(db, sql.fragment`probe.by_id`, { span: 30, unit: 'day', column: 'id', whole: false })
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from probe.by_id`), 1)
})

t.test('a run of pruning ends in its time, and names what is left, while tables before are locked', async (t) => {
  const hasty = await openPool(url, 2, 30_000, 500)
  const locker = new Client(url)
  await locker.connect()
  t.teardown(() => Promise.all([locker.end(), hasty.end()]))
  const names = [...'abcdefghijklmnopqrstuvwxyz']
  for (const name of names) await db.query(sql.unsafe`create table ${sql.identifier(['probe', name])} (at timestamptz)`)
  await locker.query(`begin; lock table ${names.map((name) => `probe.${name}`).join()} in access exclusive mode`)
  const retention = { span: 1, unit: 'hour' as const, column: 'at', whole: false }
  const due = names.map((name) => ({ name: sql.fragment`${sql.identifier(['probe', name])}`, label: name, retention }))
  const tools = { db: hasty, log: log.child({}, { level: 'silent' }), signal: new AbortController().signal }
  const begun = performance.now()
  const { left, failed } = await pruneAll(due, tools, 600)
  t.ok(performance.now() - begun < 8_000, 'a statement beyond its time at most, and not half a second for each table')
  t.equal(left.length + failed.size, names.length)
  t.ok(left.length > 0)
})
