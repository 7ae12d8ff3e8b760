import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as closures from '#sql/account/closures.ts'
import { readCatalogue } from '#sql/account/move/owned-rows.ts'
import { sql } from '#sql/db.ts'
import { dropExpired } from '#sql/partitions/drop.ts'
import { families } from '#sql/partitions/families.ts'
import { list } from '#sql/partitions/list.ts'
import { createAhead } from '#sql/partitions/make.ts'
import { isLockError } from '#sql/partitions/patiently.ts'
import { getAheadEnd, getNextPeriodStart, getPeriodStart } from '#sql/partitions/periods.ts'
import { requestClosure } from '#tasks/account/rules/closure.ts'
import { purgeTable } from '#tasks/account/rules/purge.ts'
import { keepPartitions } from '#tasks/jobs/keep-partitions.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { checkPartitions } from '../../ops/cli/doctor/partitions.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { addEvent, addMail, addPush, addView, endFirstAt, family, idAt } from './partitions.ts'

t.setTimeout(240_000)
const { db, url } = await testDatabase(t)
const signal = new AbortController().signal
const tools = { db, log: log.child({}, { level: 'silent' }), signal } as never
const [mail, push, views, webhooks] = ['email.attempts', 'push.attempts', 'video.views', 'webhooks.events'].map(
  family,
) as [ReturnType<typeof family>, ReturnType<typeof family>, ReturnType<typeof family>, ReturnType<typeof family>]
const { org } = await testOrg(db, [])

const dayMs = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * dayMs)
const names = async (table: string) => (await list(db, table)).map(({ name }) => name)
const count = (table: string, id: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from ${sql.identifier(table.split('.'))} where id = ${id}`)
const partOf = (table: string, id: string) =>
  db.oneFirst(sql.type(z.object({ name: z.string() }))`
    select tableoid::regclass::text as name from ${sql.identifier(table.split('.'))} where id = ${id} or message_id = ${id}`)
const eventPart = (table: string, id: string) =>
  db.oneFirst(sql.type(z.object({ name: z.string() }))`
    select tableoid::regclass::text as name from ${sql.identifier(table.split('.'))} where id = ${id}`)

t.test(
  'periods are days, weeks from Monday and months of UTC, and there are two ahead, a week of them at least',
  async (t) => {
    const at = new Date('2031-01-01T00:30:00Z')
    const iso = (date: Date) => date.toISOString().slice(0, 10)
    t.same(
      (['day', 'week', 'month'] as const).map((period) => iso(getPeriodStart(period, at))),
      ['2031-01-01', '2030-12-30', '2031-01-01'],
    )
    t.same(
      (['day', 'week', 'month'] as const).map((period) => iso(getNextPeriodStart(period, at))),
      ['2031-01-02', '2031-01-06', '2031-02-01'],
    )
    t.same(
      (['day', 'week', 'month'] as const).map((period) => iso(getAheadEnd(period, at))),
      ['2031-01-09', '2031-01-20', '2031-04-01'],
    )
    t.equal(iso(getPeriodStart('week', new Date('2030-12-29T23:59:59Z'))), '2030-12-23')
  },
)

t.test('a migrated database has one partition for what is there and comes soon, and needs no other yet', async (t) => {
  for (const { members } of families) {
    for (const { name } of members)
      t.same(await names(name), [`${name.split('.')[1]}_first`, `${name.split('.')[1]}_default`])
  }
  await keepPartitions.run({}, tools)
  t.match(await checkPartitions(db), { ok: true })
})

t.test('partitions are made ahead, once by two processes at once, with all that the whole has', async (t) => {
  for (const [one, ...days] of [
    [mail, 205, 195, 188],
    [push, 60, 50],
    [webhooks, 60, 45, 30, 15],
    [views, 12],
  ] as const) {
    await endFirstAt(db, one, getPeriodStart('week', ago(days[0])))
    for (const since of days) await createAhead(db, one, ago(since))
  }
  const [some, others] = await Promise.all([createAhead(db, webhooks), createAhead(db, webhooks)])
  const regular = (await list(db, 'webhooks.events')).filter(({ from, rest }) => from && !rest)
  t.equal(new Set([...some, ...others].map(Number)).size, some.length + others.length, 'none is made twice')
  t.same(regular.at(-1)?.to, getAheadEnd('week', new Date()))
  for (const [i, { from }] of regular.entries()) if (i > 0) t.same(from, regular[i - 1]?.to)
  t.same(
    (await list(db, 'webhooks.deliveries')).map(({ from, to }) => [from, to]),
    (await list(db, 'webhooks.events')).map(({ from, to }) => [from, to]),
  )
  const Facts = z.object({
    keys: z.number(),
    indexes: z.number(),
    references: z.number(),
    options: z.string().nullable(),
  })
  const facts = (name: string) =>
    db.one(sql.type(Facts)`
      select (select count(*)::integer from pg_constraint where conrelid = c.oid and contype = 'p') as keys,
        (select count(*)::integer from pg_index where indrelid = c.oid) as indexes,
        (select count(*)::integer from pg_constraint where conrelid = c.oid and contype = 'f') as references,
        array_to_string(reloptions, ',') as options
      from pg_class as c where oid = to_regclass(${name})`)
  for (const { name } of families.flatMap(({ members }) => members)) {
    const [first, second] = await names(name)
    t.match(second, /_\d{8}$/)
    const area = name.split('.')[0]
    t.same(await facts(`${area}.${second}`), await facts(`${area}.${first}`), name)
    t.match(await facts(`${area}.${second}`), { keys: 1 })
  }
})

t.test('what hangs on a row goes with it, in whichever partition', async (t) => {
  const id = await addMail(db, org.id, ago(190))
  t.match(await partOf('email.attempts', id), /^email\.attempts_\d{8}$/)
  await db.query(sql.typeAlias('void')`delete from email.messages where id = ${id}`)
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from email.attempts where message_id = ${id}`), 0)
  const { event, delivery } = await addEvent(db, org.id, ago(10), 'pending')
  t.match(await eventPart('webhooks.deliveries', delivery), /^webhooks\.deliveries_\d{8}$/)
  await t.rejects(
    db.query(sql.typeAlias('void')`update webhooks.deliveries set event_id = ${idAt(ago(10))} where id = ${delivery}`),
    'a delivery is of an event that is there',
  )
  await db.query(sql.typeAlias('void')`delete from webhooks.events where id = ${event}`)
  t.equal(await count('webhooks.deliveries', delivery), 0)
})

t.test(
  'a row of a time that no partition is for is kept, told of, and moves into its partition when that is made',
  async (t) => {
    const far = ago(-300)
    const { event, delivery } = await addEvent(db, org.id, far, 'pending')
    t.equal(await eventPart('webhooks.events', event), 'webhooks.events_default')
    t.equal(await eventPart('webhooks.deliveries', delivery), 'webhooks.deliveries_default')
    const strays = async () =>
      [await checkPartitions(db, new Date(), [webhooks])]
        .flat()
        .flatMap(({ found }) => (/match no other partition/.test(found) ? [found] : []))
    t.same(await strays(), [
      'webhooks.events has 1 rows whose IDs match no other partition',
      'webhooks.deliveries has 1 rows whose IDs match no other partition',
    ])
    const made = await createAhead(db, webhooks, new Date(far.getTime() - 10 * dayMs))
    t.ok(made.length > 1)
    t.match(await eventPart('webhooks.events', event), /^webhooks\.events_\d{8}$/)
    t.match(await eventPart('webhooks.deliveries', delivery), /^webhooks\.deliveries_\d{8}$/)
    t.same(await strays(), [])
  },
)

t.test(
  'a partition is dropped when all of it is over, one that something is waited for when it is not any more',
  async (t) => {
    const [old, waiting, young] = [
      await addEvent(db, org.id, ago(50), 'delivered'),
      await addEvent(db, org.id, ago(43), 'pending'),
      await addEvent(db, org.id, ago(20), 'delivered'),
    ]
    const dropped = await dropExpired(db, webhooks)
    t.ok(dropped.length >= 2)
    t.same([await count('webhooks.events', old.event), await count('webhooks.deliveries', old.delivery)], [0, 0])
    for (const { event, delivery } of [waiting, young]) {
      t.same([await count('webhooks.events', event), await count('webhooks.deliveries', delivery)], [1, 1])
    }
    t.same(await dropExpired(db, webhooks), [])
    t.match(await checkPartitions(db, new Date(), [webhooks]), { ok: true }, 'what is waited for is no fault')
    await db.query(
      sql.typeAlias('void')`update webhooks.deliveries set status = 'delivered' where id = ${waiting.delivery}`,
    )
    t.equal((await dropExpired(db, webhooks)).length, 1)
    t.equal(await count('webhooks.events', waiting.event), 0)
    t.equal(await count('webhooks.events', young.event), 1)

    const sending = await addPush(db, org.id, ago(45), 'sending')
    const before = await names('push.attempts')
    await dropExpired(db, push)
    t.match(await partOf('push.attempts', sending), /^push\.attempts_\d{8}$/)
    t.ok((await names('push.attempts')).length < before.length)

    const session = await addView(db, org.id, ago(10))
    await dropExpired(db, views)
    t.equal(
      await db.oneFirst(sql.typeAlias('count')`select count(*) from video.views where session_id = ${session}`),
      0,
    )
  },
)

t.test('a message goes after the partition with its attempts; if that could not be dropped, row by row', async (t) => {
  const recent = await addMail(db, org.id, new Date(getPeriodStart('week', ago(180)).getTime() + 1_000))
  const old = await addMail(db, org.id, ago(195))
  await prune.run({ tables: ['email.messages'] }, tools)
  t.same([await count('email.messages', recent), await count('email.messages', old)], [1, 0])
  t.match(await partOf('email.attempts', recent), /^email\.attempts_\d{8}$/, 'its week is not over')
  const before = (await names('email.attempts')).length
  t.ok((await dropExpired(db, mail)).length > 0)
  t.ok((await names('email.attempts')).length < before)
  t.equal(await count('email.messages', recent), 1)
})

t.test('rows that are over and lie in no partition of a period are forgotten one by one', async (t) => {
  const { event, delivery } = await addEvent(db, org.id, ago(300), 'delivered')
  const { event: kept } = await addEvent(db, org.id, ago(3), 'delivered')
  t.match(await eventPart('webhooks.events', event), /_(first|default)$/)
  await prune.run({ tables: ['webhooks.events', 'video.views'] }, tools)
  t.same([await count('webhooks.events', event), await count('webhooks.deliveries', delivery)], [0, 0])
  t.equal(await count('webhooks.events', kept), 1)
})

t.test('a closed organisation leaves no row in any partition, and each is counted', async (t) => {
  const { org: gone } = await testOrg(db, [])
  for (const days of [300, 10, -500]) {
    await addMail(db, gone.id, ago(days))
    await addEvent(db, gone.id, ago(days), 'pending')
    await addPush(db, gone.id, ago(days), 'sent')
    await addView(db, gone.id, ago(days))
  }
  const actor = { kind: 'operator', id: null, name: 'test' } as const
  await db.transaction((tx) => requestClosure(tx, { orgId: gone.id, actor }))
  await db.query(sql.typeAlias('void')`update account.closures set due_at = now() where org_id = ${gone.id}`)
  const [work] = (await closures.begin(db)) as [closures.ClosureProgress]
  const storage = { clear: async () => ({ objects: 0, bytes: 0 }) } as unknown as Storage
  const means = { db, storage, signal, catalogue: await readCatalogue(db), hasMoved: false }
  for (const table of ['webhooks.events', 'email.messages', 'push.messages', 'video.assets'])
    await purgeTable(work, table, 0, means)
  const tables = ['email.attempts', 'push.attempts', 'video.views', 'webhooks.events', 'webhooks.deliveries']
  const rows: Record<string, number> = (await closures.find(db, gone.id))?.receipt?.rows ?? {}
  t.same(
    tables.map((table) => rows[table]),
    [3, 3, 3, 3, 3],
  )
  for (const table of tables.filter((table) => table !== 'video.views')) {
    const left = sql.typeAlias(
      'count',
    )`select count(*) from ${sql.identifier(table.split('.'))} where org_id = ${gone.id}`
    t.equal(await db.oneFirst(left), 0, table)
  }
})

t.test('a process that dies between making a partition and attaching it leaves nothing in the way', async (t) => {
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('begin')
  await other.query('lock table webhooks.events_default in access share mode')
  const before = await names('webhooks.events')
  const now = ago(-400)
  const making = createAhead(db, webhooks, now).catch((error) => error)
  const Waiting = z.object({ pid: z.number() })
  const pid = await until(async () => {
    const found = await db.any(sql.type(Waiting)`
      select pid from pg_locks where not granted and relation = 'webhooks.events_default'::regclass`)
    return found[0]?.pid
  })
  await other.query('select pg_terminate_backend($1)', [pid])
  t.ok((await making) instanceof Error)
  const Name = z.object({ name: z.string() })
  const there = await db.manyFirst(sql.type(Name)`
    select relname as name from pg_class where relnamespace = 'webhooks'::regnamespace and relname ~ '^events_\\d{8}$' order by 1`)
  t.same(there, before.filter((name) => /\d{8}$/.test(name)).sort(), 'nothing is left of it')
  await other.query('commit')
  t.ok((await createAhead(db, webhooks, now)).length > 0)
})

t.test(
  'a partition that somebody reads is left to the next run, holds nobody for long, and keeps no other',
  async (t) => {
    t.ok((await createAhead(db, views)).length > 0, 'all of them had been dropped')
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    t.teardown(() => reader.end())
    await reader.query('begin')
    await reader.query('select count(*) from video.views')
    const later = ago(-20)
    const due = await names('video.views')
    t.match(await dropExpired(db, views, later).catch(isLockError), true)
    t.same(await names('video.views'), due)
    await addView(db, org.id, ago(0))
    t.ok((await dropExpired(db, webhooks, later)).length > 0, 'another table is not held')
    const told = [await checkPartitions(db, later, [views])].flat().map(({ found }) => found)
    t.match(told.join('\n'), /^video\.views_\d{8} has expired but could not be dropped for a day$/m)
    await reader.query('commit')
    t.ok((await dropExpired(db, views, later)).length > 0)
  },
)
