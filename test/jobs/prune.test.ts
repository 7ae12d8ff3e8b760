import t from 'tap'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import { sql } from '#sql/db.ts'
import { tablesWithRetention } from '#sql/retained.ts'
import { clearQueues } from '#tasks/jobs/clear-queues.ts'
import { getDueWork, prune, pruneAll } from '#tasks/jobs/prune.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)
const tools = { db, log: log.child({}, { level: 'silent' }), signal: new AbortController().signal }
const run = (query: ReturnType<typeof sql.unsafe>) => db.query(query)
const everyMs = 5 * 60_000
const inAnHour = Array.from({ length: 12 }, (_, nth) => getDueWork(nth * everyMs))

t.test('within an hour each retention has its time: once what is kept for days, at each run the rest', async (t) => {
  const times = new Map<unknown, number>()
  for (const { retention } of inAnHour.flat()) times.set(retention, (times.get(retention) ?? 0) + 1)
  const all = tablesWithRetention.flatMap(({ retentions }) => retentions)
  t.ok(all.length > 50)
  for (const retention of all) t.equal(times.get(retention), retention.unit === 'hour' ? 12 : 1)
})

t.test('each is a statement that the database understands; what is looked at often has an index', async (t) => {
  for (let nth = 0; nth < 12; nth++) {
    t.same(await pruneAll(getDueWork(nth * everyMs), tools, 60_000), { left: [], failed: new Map() })
  }
  for (const { label, retention } of getDueWork(0).filter(({ retention }) => retention.unit === 'hour')) {
    const found = await db.exists(sql.type(z.object({ n: z.number() }))`
      select 1 as n from pg_index as i join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = ${label}::regclass and a.attname = ${retention.column}`)
    t.ok(found, `${label} by ${retention.column}`)
  }
})

/** A pruned table with expired rows, 10 per batch. */
async function table(name: string, rows: number) {
  await run(sql.unsafe`create table ${sql.identifier(['probe', name])} (id integer, at timestamptz)`)
  await run(sql.unsafe`
    insert into ${sql.identifier(['probe', name])}
    select n, now() - interval '2 hours' from generate_series(1, ${rows}::integer) as n`)
  const retention = { span: 1, unit: 'hour' as const, column: 'at', whole: false, batch: 10 }
  return { name: sql.fragment`${sql.identifier(['probe', name])}`, label: `probe.${name}`, retention }
}

const rows = (name: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from ${sql.identifier(['probe', name])}`)

t.test('a table that fails keeps none of the others, and one with much to forget makes none wait', async (t) => {
  await run(sql.unsafe`create schema probe`)
  const [large, faulty, small] = [await table('large', 400), await table('faulty', 5), await table('small', 25)]
  await run(sql.unsafe`
    create function probe.refuse() returns trigger language plpgsql as 'begin raise exception ''no, not this one''; end'`)
  await run(sql.unsafe`create trigger refuse before delete on probe.faulty execute function probe.refuse()`)
  const end = new AbortController()
  let batches = 0
  const transaction: typeof db.transaction = (...args) => {
    if (++batches === 9) end.abort()
    return db.transaction(...args)
  }
  const counted = { ...db, transaction }
  await t.rejects(pruneAll([large, faulty, small], { ...tools, db: counted as never, signal: end.signal }, 60_000))
  t.equal(await rows('small'), 0)
  t.equal(await rows('large'), 350)
  const { left, failed } = await pruneAll([large, faulty, small], tools, 60_000)
  t.same([left, [...failed.keys()]], [[], ['probe.faulty']])
  t.match(failed.get('probe.faulty'), { message: /no, not this one/ })
  t.same([await rows('large'), await rows('faulty')], [0, 5])
})

t.test(
  'what is left when the time of a run is over is named, and one that fails fails the job by its name',
  async (t) => {
    const late = await table('late', 5)
    t.same((await pruneAll([late], tools, 0)).left, ['probe.late'])
    await run(sql.unsafe`create trigger refuse before delete on jobs.actions execute function probe.refuse()`)
    await t.rejects(
      prune.run({ tables: ['jobs.actions', 'jobs.crashes'] }, tools as never),
      /^jobs\.actions could not be pruned/,
    )
    await run(sql.unsafe`drop trigger refuse on jobs.actions`)
    await prune.run({ tables: ['jobs.actions', 'jobs.crashes'] }, tools as never)
  },
)

t.test(
  'what the clock enqueued for a task that is no more leaves its queue, what somebody asked for does not',
  async (t) => {
    await run(sql.unsafe`insert into jobs_core._private_tasks (identifier) values ('account/prune')`)
    const add = (payload: object, hours: number) =>
      run(sql.unsafe`
      insert into jobs_core._private_jobs (task_id, payload, run_at)
      select id, ${JSON.stringify(payload)}::json, now() - ${hours} * interval '1 hour'
      from jobs_core._private_tasks where identifier = 'account/prune'`)
    await add({ _cron: { ts: '2030-01-01T00:00:00Z' } }, 25)
    await add({ _cron: { ts: '2030-01-02T00:00:00Z' } }, 23)
    await add({ payload: {} }, 25)
    await clearQueues.run({}, tools as never)
    const left = await db.manyFirst(sql.type(z.object({ payload: z.unknown() }))`
    select payload from jobs_core._private_jobs order by id`)
    t.same(left, [{ _cron: { ts: '2030-01-02T00:00:00Z' } }, { payload: {} }])
  },
)
