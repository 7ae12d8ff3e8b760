import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type Db, sql } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import { whereOf } from '#sql/filters.ts'
import { sweep } from '#tasks/files/sweep.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { org } = await testOrg(db, ['files:read'])
const signal = new AbortController().signal
// biome-ignore lint/suspicious/noExplicitAny: what these tasks do not use is not made.
const tools: any = { db, signal }

const count = (from: ReturnType<typeof sql.fragment>) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::integer as count from ${from}`)

/** Adds many objects as they would be after a while. */
async function addObjects(many: number, as: ReturnType<typeof sql.fragment>): Promise<void> {
  await db.query(sql.unsafe`
    insert into files.objects (id, org_id, product_key, tenant_id, filename, content_type, byte_size, incoming_key,
      upload_expires_at, scan_status, place, held_key, quarantined_at, sha256, scan_id, scanned_at, scanned_with)
    select gen_random_uuid(), ${org.id}, 'crm', 'acme', 'a.txt', 'text/plain', 1, 'incoming/' || gen_random_uuid(), ${as}
    from generate_series(1, ${many}) as n`)
}

t.test('one sweep ends all uploads that were abandoned, and all quarantines that are over', async (t) => {
  await addObjects(
    450,
    sql.fragment`now() - interval '2 hours', 'awaiting_upload', 'incoming', null, null, null, null::uuid, null, null`,
  )
  await addObjects(
    450,
    sql.fragment`now(), 'infected', 'quarantine', 'files/quarantine/' || n, now() - interval '9 years', repeat('0', 64),
      null::uuid, now(), 'one 1'`,
  )
  await sweep.run({}, tools)
  t.equal(await count(sql.fragment`files.objects where scan_status = 'awaiting_upload' and deleted_at is null`), 0)
  t.equal(await count(sql.fragment`files.objects where place = 'quarantine'`), 0)
  t.equal(await count(sql.fragment`jobs_core.jobs where task_identifier = 'files/quarantine'`), 450)
})

/** How many rows of the objects a statement reads. */
async function rowsRead(work: (tx: Db) => Promise<unknown>): Promise<number> {
  return await db.transaction(async (tx) => {
    const read = () =>
      tx.oneFirst(sql.type(z.object({ rows: z.coerce.number() }))`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables
        where schemaname = 'files' and relname = 'objects'`)
    const before = await read()
    await work(tx)
    return (await read()) - before
  })
}

t.test('that nothing is outdated is known without a look at each object, and what is outdated is found', async (t) => {
  const now = { signatures: 'new', heuristics: '2' }
  const cleanAs = (versions: string) =>
    sql.fragment`now(), 'clean', 'held', 'files/objects/' || gen_random_uuid(), null, repeat('1', 64), gen_random_uuid(), now(), ${versions}`
  await addObjects(3_000, cleanAs('new 2'))
  await db.query(sql.unsafe`analyze files.objects`)
  t.strictSame(await scans.listOutdated(db, now, 100), [])
  const rows = await rowsRead((tx) => scans.listOutdated(tx, now, 100))
  t.ok(rows < 20, `${rows} rows are read of 3,000`)
  await addObjects(3, cleanAs('old 1'))
  await addObjects(2, cleanAs('new 1'))
  await addObjects(2, cleanAs('newer 3'))
  const found = await scans.listOutdated(db, now, 100)
  t.strictSame(found.map(({ scanned_with }) => scanned_with).sort(), [
    'new 1',
    'new 1',
    'newer 3',
    'newer 3',
    'old 1',
    'old 1',
    'old 1',
  ])
  t.strictSame(
    found.map(({ id }) => id),
    found
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
    'newest first',
  )
  t.equal((await scans.listOutdated(db, now, 4)).length, 4)
})

t.test('a list reads the objects that it tells of, however many versions they have', async (t) => {
  const { org: other } = await testOrg(db)
  const idOf = (version: number) =>
    sql.fragment`(${version} || '1000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
  for (const [version, of] of [
    [1, sql.fragment`null`],
    [2, idOf(1)],
    [3, idOf(1)],
  ] as const)
    await db.query(sql.unsafe`
      insert into files.objects (id, org_id, product_key, tenant_id, filename, content_type, byte_size, incoming_key,
        upload_expires_at, version_of, version)
      select ${idOf(version)}, ${other.id}, 'crm', 'acme', 'a.txt', 'text/plain', 1, 'incoming/' || gen_random_uuid(), now(),
        ${of}, ${version}
      from generate_series(1, 2000) as n`)
  await db.query(sql.unsafe`analyze files.objects`)
  for (const [owner, more] of [
    [{}, {}],
    [{ tenantId: 'acme' }, {}],
    [{}, { scan_status: 'awaiting_upload' }],
    [{}, { product_key: 'crm' }],
  ] as const) {
    const page = { where: whereOf(objects.filters, more), before: undefined, limit: 20 }
    const rows = await rowsRead((tx) => objects.list(tx, { orgId: other.id, ...owner }, page))
    t.ok(
      rows <= 20,
      `${rows} rows are read for 20 of 2,000 with 2 later versions each: ${JSON.stringify({ ...owner, ...more })}`,
    )
  }
})

t.test('changes of states are kept for their time', async (t) => {
  const id = newId()
  const add = (days: number) =>
    db.query(sql.unsafe`
      insert into files.state_changes (object_id, org_id, to_status, to_place, deleted, at)
      values (${id}, ${org.id}, 'pending', 'held', false, now() - make_interval(days => ${days}))`)
  await db.query(sql.unsafe`truncate files.state_changes`)
  for (const days of [400, 366, 364, 1]) await add(days)
  await pruneArea(db, 'files')
  t.equal(await count(sql.fragment`files.state_changes where object_id = ${id}`), 2)
})
