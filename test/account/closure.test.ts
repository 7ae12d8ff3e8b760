import t from 'tap'
import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import * as owned from '#sql/account/move/owned-rows.ts'
import { sql } from '#sql/db.ts'
import { close, restKey } from '#tasks/account/close.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import { afterOrganisation, beforeOrganisation, keptTables } from '#tasks/account/rules/closure-plan.ts'
import { storedBytes, storedTogether } from '#tasks/account/rules/stored-bytes.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { filler } from './every-table.ts'

t.setTimeout(240_000)
const stack = await videoStack(t, { areas: ['account', 'email'] })
const { db, ask, databaseUrl, store } = stack
const all = await filler(databaseUrl)
t.teardown(all.end)

const actor = { kind: 'user', id: 'u1', name: 'Ada' } as const
const request = (orgId: string) => db.transaction((tx) => requestClosure(tx, { orgId, actor }))
const cancel = (orgId: string) => db.transaction((tx) => cancelClosure(tx, { orgId, actor }))
const endGrace = (orgId: string) =>
  db.query(
    sql.typeAlias('void')`update account.closures set due_at = now() where org_id = ${orgId} and state = 'waiting'`,
  )
const done = (orgId: string) =>
  until(
    async () => {
      const closure = await closures.find(db, orgId)
      return closure?.state === 'done' && closure
    },
    { timeout: 60_000, what: 'the organisation is deleted' },
  )

t.test('every table with an org_id is in the plan, or hangs on one that is, and none is left to another', async (t) => {
  const catalogue = await owned.readCatalogue(db)
  const plan: readonly string[] = [...beforeOrganisation, ...afterOrganisation]
  const known = [...catalogue.relations.values()]
  t.equal(new Set(plan).size, plan.length)
  t.same(
    plan.filter((name) => !known.some(({ whole, columns }) => whole === name && columns.includes('org_id'))),
    [],
  )
  const reached = new Set(
    known
      .filter(({ whole }) => plan.includes(whole))
      .flatMap(({ name }) => [
        name,
        ...owned.chainsBelow(catalogue, name).flatMap((chain) => chain.map(({ child }) => child)),
      ]),
  )
  const ofOrgs = known.filter(({ columns }) => columns.includes('org_id'))
  t.ok(ofOrgs.length > 80, `${ofOrgs.length} tables`)
  t.same(
    ofOrgs.filter(({ name, whole }) => !reached.has(name) && !(whole in keptTables)).map(({ name }) => name),
    [],
  )
  for (const name of [...Object.keys(storedBytes), ...Object.keys(storedTogether)]) t.ok(plan.includes(name), name)
})

t.test(
  'what is only unlinked from a row goes before it, and what knows organisations by a key before them',
  async (t) => {
    const Unlinked = z.object({ child: z.string(), parent: z.string(), action: z.string() })
    const found = await db.any(sql.type(Unlinked)`
    select cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent, f.confdeltype as action
    from pg_constraint as f
    join pg_class as c on c.oid = f.conrelid join pg_namespace as cn on cn.oid = c.relnamespace
    join pg_class as p on p.oid = f.confrelid join pg_namespace as pn on pn.oid = p.relnamespace
    where f.contype = 'f' and f.conparentid = 0 and c.oid <> p.oid`)
    const order: readonly string[] = [...beforeOrganisation, 'account.orgs', ...afterOrganisation]
    for (const { child, parent, action } of found) {
      if (action === 'c' && parent !== 'account.orgs') continue
      if (!order.includes(child) || !order.includes(parent)) continue
      t.ok(order.indexOf(child) < order.indexOf(parent), `${child} goes before ${parent}`)
    }
  },
)

t.test('keys are refused at once, and good again when the closure is taken back', async (t) => {
  const { org, keys: made } = await testOrg(db, ['account:audit'])
  const get = (path = '/v1/account/audit') => ask(`GET ${path}`, { key: made.main })
  t.equal((await get()).status, 200)
  const closure = await request(org.id)
  t.match(closure, { state: 'waiting', requested_by: 'Ada' })
  t.ok(Math.abs(closure.due_at.getTime() - Date.now() - 14 * 86_400_000) < 60_000)
  const refused = await until(async () => {
    const reply = await get()
    return reply.status !== 200 && reply
  })
  t.match([refused.status, refused.body.error.code], [403, 'organisation_closed'])
  await t.rejects(request(org.id), { status: 409, code: 'closure_pending' })
  await cancel(org.id)
  await t.rejects(cancel(org.id), { status: 409, code: 'closure_not_pending' })
  const reply = await until(async () => {
    const reply = await get()
    return reply.status === 200 && reply
  })
  t.match(reply.body.data, [
    { action: 'organisation.reopened' },
    { action: 'organisation.closed', actor: { name: 'Ada' } },
  ])
})

t.test('what an organisation has live ends with the request', async (t) => {
  const { org, keys: made } = await testOrg(db, ['stream:read', 'stream:write'])
  const { body: room } = await ask('POST /v1/stream/rooms', { key: made.main, body: { name: 'Round table' } })
  t.ok(room.id ?? room.roomId)
  await request(org.id)
  t.notOk(await db.exists(sql.typeAlias('void')`select from rooms.rooms where org_id = ${org.id} and ended_at is null`))
})

t.test('the audit log of no other organisation can be deleted', async (t) => {
  const { org } = await testOrg(db)
  await db.transaction((tx) => audit.append(tx, { orgId: org.id, actor, action: 'key.created' }))
  await t.rejects(db.query(sql.typeAlias('void')`delete from account.audit where org_id = ${org.id}`))
  await request(org.id)
  await t.rejects(db.query(sql.typeAlias('void')`delete from account.audit where org_id = ${org.id}`))
})

t.test('nothing is left in any table or in storage, whoever is killed meanwhile, and others keep all', async (t) => {
  const [gone, other] = [(await testOrg(db)).org.id, (await testOrg(db)).org.id]
  const put = async (orgId: string) => {
    const made = await all.fill(orgId)
    const stored: string[] = []
    for (const [table, { prefixes, made: of }] of Object.entries(storedBytes)) {
      const row = made.get(table) as Record<string, string | null>
      for (const prefix of [...prefixes(row), ...(of?.(row) ?? [])])
        stored.push(prefix.endsWith('/') ? `${prefix}1` : prefix)
    }
    for (const prefix of Object.values(storedTogether)) stored.push(`${prefix(orgId)}1`)
    for (const key of stored) await store.storage.put(key, Buffer.alloc(10), { contentType: 'text/plain' })
    return stored.sort()
  }
  await request(gone)
  const [bytesGone, bytesKept] = [await put(gone), await put(other)]
  const many = 15_000
  await db.query(sql.typeAlias('void')`
    insert into account.idempotency (org_id, operation, key, hash, created_at)
    select ${gone}, 'x', n, '', now() from generate_series(1, ${many}) as n`)
  await db.query(sql.typeAlias('void')`
    insert into email.contents (id, org_id, headers, attachments, created_at)
    select gen_random_uuid(), case when n % 2 = 0 then ${gone}::uuid else ${other}::uuid end, '{}', '[]', now()
    from generate_series(1, ${many}) as n`)
  await enqueue(db, close, {}, { orgId: gone, at: new Date(Date.now() + 3_600_000) })
  await enqueue(db, close, {}, { orgId: other, at: new Date(Date.now() + 3_600_000), key: 'other' })
  const before = { gone: await all.count(gone), other: await all.count(other) }
  t.same(
    Object.entries(before.gone).filter(([, count]) => count === 0),
    [],
    'each table has a row of it',
  )

  const environment = { LEASE_MS: '1500', SWEEP_MS: '200' }
  const first = await stack.startWorkers(environment, 'core')
  await endGrace(gone)
  await enqueue(db, close, { isRest: true }, { key: restKey })
  const deleted = async () =>
    Object.values((await closures.find(db, gone))?.receipt.rows ?? {}).reduce((a, b) => a + b, 0)
  await until(async () => (await deleted()) > 2_000, { timeout: 30_000, what: 'some of it is deleted' })
  await first.kill()
  t.equal((await closures.find(db, gone))?.state, 'running')
  await t.rejects(cancel(gone), { code: 'closure_not_pending' })
  await stack.startWorkers(environment, 'core')
  const closure = await done(gone)

  t.same(
    Object.entries(await all.count(gone)).filter(([, count]) => count > 0),
    [],
    'nothing is left of it',
  )
  const after = await all.count(other)
  // The worker's schedules add rows while the test runs: thresholds each minute, documents without passages each fifth
  // minute, and sums of requests and usage each half hour and hour.
  const isSummed = (table: string) => table === 'account.request_hours' || table === 'account.usage_daily'
  const isAddedTo = (table: string) => table.startsWith('jobs.') || isSummed(table)
  for (const [table, count] of Object.entries(before.other)) {
    if (isAddedTo(table) || table === 'knowledge.sources') t.ok((after[table] ?? 0) >= count, table)
    else t.equal(after[table], count, table)
  }
  t.notOk(await db.exists(sql.typeAlias('void')`select from account.orgs where id = ${gone}`))
  t.ok(await db.exists(sql.typeAlias('void')`select from account.orgs where id = ${other}`))
  const { rows } = closure.receipt
  // Triggers change these counts while the rows that they count are deleted.
  const counted = ['bots.rating_days', 'email.engagement_daily', 'push.device_counts', 'verify.conversion_days']
  const receipted = Object.entries(before.gone).filter(([table]) => !counted.includes(table))
  t.match(rows, { ...Object.fromEntries(receipted.filter(([table]) => !isAddedTo(table))), 'account.orgs': 1 })
  for (const [table, count] of receipted) t.ok((rows[table] ?? 0) >= count, `${table} in the receipt`)
  t.match(closure, {
    requested_by: null,
    receipt: { objects: bytesGone.length, bytes: bytesGone.length * 10 },
  })
  t.ok(closure.receipt.jobs >= 1, 'its waiting job, and what a cron enqueued for it meanwhile')
  // What a worker that was killed asked of the store at its start is the bucket's rules' to remove.
  const left = (await store.list('')).filter((key) => !key.startsWith('incoming/probe-'))
  t.same(left.sort(), bytesKept)
  const waiting = sql.type(z.object({ org: z.string() }))`
    select payload ->> 'org' as org from jobs_core._private_jobs where payload ->> 'org' is not null`
  t.same(new Set(await db.anyFirst(waiting)), new Set([other]))
})

t.test('a key that an organisation made is unknown when it is gone', async (t) => {
  const { org, keys: made } = await testOrg(db, ['account:audit'])
  await request(org.id)
  await endGrace(org.id)
  await enqueue(db, close, { isRest: true }, { key: restKey })
  await done(org.id)
  t.equal((await keys.list(db, org.id)).length, 0)
  const reply = await until(async () => {
    const reply = await ask('GET /v1/account/audit', { key: made.main })
    return reply.status !== 403 && reply
  })
  t.equal(reply.status, 401)
})
