import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type Db, sql } from '#sql/db.ts'
import { createAhead } from '#sql/partitions/make.ts'
import { getPeriodStart } from '#sql/partitions/periods.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import { endFirstAt, family } from '../jobs/partitions.ts'
import { testDatabase } from '../support/database.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const orgId = (await createOrg(db, 'log', 'unlimited', {})).org.id
const [busy, quiet] = [newId(), newId()]
const logged = 20_000
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)

const Read = z.object({ name: z.string(), scans: z.number(), rows: z.number() })
const counted = (tx: Db) =>
  tx.any(sql.type(Read)`
    select relname as name, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::float8 as scans,
      (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows
    from pg_stat_xact_user_tables where schemaname = 'webhooks' and starts_with(relname, 'deliveries')`)

/** Partitions of the log that work looks into, and rows that it reads there. */
async function readBy(tx: Db, work: () => Promise<void>): Promise<{ partitions: number; rows: number }> {
  // The session's counts begin before the transaction.
  const before = new Map((await counted(tx)).map((one) => [one.name, one]))
  await work()
  const grown = (await counted(tx)).map(({ name, scans, rows }) => ({
    scans: scans - (before.get(name)?.scans ?? 0),
    rows: rows - (before.get(name)?.rows ?? 0),
  }))
  return {
    partitions: grown.filter(({ scans }) => scans > 0).length,
    rows: grown.reduce((sum, one) => sum + one.rows, 0),
  }
}

t.before(async () => {
  const webhooks = family('webhooks.events')
  await endFirstAt(db, webhooks, getPeriodStart('week', ago(30)))
  for (const days of [30, 23, 16, 9, 2, 0]) await createAhead(db, webhooks, ago(days))
  for (const id of [busy, quiet]) {
    await db.query(sql.typeAlias('void')`
      insert into webhooks.endpoints (id, org_id, url, events, secret)
      values (${id}, ${orgId}, 'https://a.example/', '{*}', 'secret')`)
  }
  await db.query(sql.typeAlias('void')`
    insert into webhooks.events (id, org_id, type, data, created_at)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
      substr(md5(n::text), 1, 15))::uuid, ${orgId}, 'email.delivered', '{}', at
    from (select n, now() - interval '28 days' * n / ${logged} as at from generate_series(1, ${logged}) as n) as made`)
  await db.query(sql.typeAlias('void')`
    insert into webhooks.deliveries (id, org_id, event_id, endpoint_id, status, created_at)
    select gen_random_uuid(), org_id, id, case when row_number() over (order by id desc) % 20 = 0 then ${quiet}::uuid else ${busy}::uuid end,
      'delivered', created_at
    from webhooks.events`)
  await db.query(sql.unsafe`analyze webhooks.events`)
  await db.query(sql.unsafe`analyze webhooks.deliveries`)
})

t.test('deliveries are replayed without the log of other endpoints being read', async (t) => {
  const since = ago(14).toISOString()
  const due = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from webhooks.deliveries where endpoint_id = ${quiet} and created_at >= ${since}`)
  t.ok(due > 100)
  await db.transaction(async (tx) => {
    const { rows } = await readBy(tx, async () => {
      const replayed = await deliveries.replaySince(tx, quiet, { since, statuses: ['delivered'], limit: 10_000 })
      t.equal(replayed.length, due)
    })
    t.ok(rows < logged / 4, `${rows} of ${logged} rows are read`)
  })
  const again = await db.anyFirst(sql.type(z.object({ endpoint_id: z.string() }))`
    select distinct endpoint_id from webhooks.deliveries where status = 'pending'`)
  t.same(again, [quiet])
})

t.test('an attempt is logged where its event is, and nowhere else is looked', async (t) => {
  const [due] = await deliveries.listDue(db, quiet, { limit: 1, except: [] })
  t.ok(due)
  if (!due) return
  const told = {
    status: 'delivered',
    dueMs: 0,
    response_status: 200,
    latency_ms: 1,
    response_head: null,
    error: null,
  } as const
  t.equal(await deliveries.record(db, { ...due, event_id: newId() }, due.attempts, told), false)
  await db.transaction(async (tx) => {
    const { partitions } = await readBy(tx, async () => {
      t.equal(await deliveries.record(tx, due, due.attempts, told), true)
      t.equal(await deliveries.record(tx, due, due.attempts, told), false, 'once')
    })
    t.equal(partitions, 1)
  })
})
