import t from 'tap'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import { renderMetrics } from '#lib/telemetry/metrics.ts'
import { dropDays } from '#sql/account/usage/request-days.ts'
import * as minutes from '#sql/account/usage/request-minutes.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { keepRequestDays } from '#tasks/account/keep-request-days.ts'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'
import { awayPostgres } from '../support/away-postgres.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { pings } from './pings.ts'

const { db } = await testDatabase(t)

const Count = z.object({ count: z.number() })
const rowsOf = (pool: DatabasePool, orgId: string) =>
  pool.oneFirst(sql.type(Count)`select count(*) as count from account.requests where org_id = ${orgId}`)

/** How many requests an organisation is counted to have made. */
async function countOf(pool: DatabasePool, orgId: string): Promise<number> {
  const span = { since: new Date(Date.now() - 3_600_000), until: new Date(Date.now() + 60_000), by: 'at' as const }
  return (await minutes.sums(pool, orgId, span)).reduce((sum, { count }) => sum + count, 0)
}

const droppedOf = async (why: string) =>
  Number(
    new RegExp(`millrace_request_log_dropped_total\\{why="${why}"\\} (\\d+)`).exec(
      await renderMetrics('prometheus'),
    )?.[1] ?? 0,
  )

t.test(
  'of an organisation some requests a second are logged, and its errors beside them; the minutes count each',
  async (t) => {
    const { ask, app } = await testIngress(t, db, [pings], { only: [], requestLog: { everyMs: 60_000, perSecond: 2 } })
    const { org, keys } = await testOrg(db, ['files:write'])
    const key = keys.main as string
    const begun = performance.now()
    for (let n = 0; n < 30; n++) await ask('GET /v1/things/free', { key })
    for (let n = 0; n < 10; n++) await ask('GET /v1/things/free?colour=red', { key })
    const seconds = Math.floor((performance.now() - begun) / 1000) + 2
    await app.close()
    const logged = await rowsOf(db, org.id)
    t.ok(logged >= 12 && logged <= Math.min(10 + 2 * seconds, 39), `${logged} rows`)
    t.equal(await countOf(db, org.id), 40)
  },
)

t.test(
  'a flood of errors is logged by some a second, one kind beside others, and what is held back not at all',
  async (t) => {
    const { ask, app } = await testIngress(t, db, [pings], {
      only: [],
      requestLog: { everyMs: 60_000, perSecond: 1_000, errorsPerSecond: 4 },
    })
    const { org, keys } = await testOrg(db, ['files:write'])
    const key = keys.main as string
    const begun = performance.now()
    const flood = await Promise.all(Array.from({ length: 60 }, () => ask('GET /v1/things/free?colour=red', { key })))
    const others = await Promise.all(Array.from({ length: 2 }, () => ask('GET /v1/things/ping?colour=red', { key })))
    const held = await Promise.all(Array.from({ length: 20 }, () => ask('GET /v1/things/rare', { key })))
    const seconds = Math.floor((performance.now() - begun) / 1000) + 2
    await app.close()
    t.ok([...flood, ...others].every(({ status }) => status === 400))
    const passed = held.filter(({ status }) => status === 200).length
    t.ok(passed > 0 && passed < 10, 'most are held back')
    const of = async (operation: string, status: number) =>
      await db.oneFirst(sql.type(Count)`
      select count(*) as count from account.requests
      where org_id = ${org.id} and operation = ${operation} and status = ${status}`)
    const logged = await of('things.pings.free', 400)
    t.ok(logged >= 2 && logged <= Math.min(2 * seconds, 59), `${logged} of one kind in ${seconds} s`)
    t.equal(await of('things.pings.ping', 400), 2, 'another kind is logged all the same')
    t.equal(await of('things.pings.rare', 429), 0)
    t.equal(await of('things.pings.rare', 200), passed)
    t.equal(await countOf(db, org.id), 82, 'all are counted')
  },
)

t.test('what has no room is dropped and counted, and one organisation leaves room to others', async (t) => {
  const { ask, app } = await testIngress(t, db, [pings], {
    only: [],
    requestLog: { everyMs: 60_000, perSecond: 1_000, errorsPerSecond: 1_000, size: 20 },
  })
  const [one, two] = [await testOrg(db, ['files:write']), await testOrg(db, ['files:write'])]
  const before = await droppedOf('overflow')
  for (let n = 0; n < 25; n++) await ask('GET /v1/things/free?colour=red', { key: one.keys.main as string })
  for (let n = 0; n < 5; n++) await ask('GET /v1/things/free', { key: two.keys.main as string })
  await app.close()
  t.equal(await rowsOf(db, one.org.id), 10)
  t.equal(await rowsOf(db, two.org.id), 5)
  t.equal((await droppedOf('overflow')) - before, 15)
  t.equal(await countOf(db, one.org.id), 25, 'counted all the same')
})

t.test('a log that is locked holds no request, and is written when the lock is gone', async (t) => {
  const { ask } = await testIngress(t, db, [pings], { only: [], requestLog: { everyMs: 20, perSecond: 1_000 } })
  const { org, keys } = await testOrg(db, ['files:write'])
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`lock table account.requests in access exclusive mode`)
    for (let n = 0; n < 50; n++)
      t.match(await ask('GET /v1/things/free', { key: keys.main as string }), { status: 200 })
  })
  await until(async () => (await rowsOf(db, org.id)) === 50)
})

t.test('while Postgres is away requests are kept, and written once when it is back', async (t) => {
  const { db: own, away } = await awayPostgres(t)
  const open = route({
    method: 'GET',
    path: '/here',
    summary: 'Ask nothing',
    scope: 'files:write',
    limit: false,
    status: 200,
    reply: z.object({ ok: z.boolean() }),
    handle: async () => ({ ok: true }),
  })
  const here = area({
    name: 'here',
    title: 'H',
    description: 'H.',
    base: '/v1',
    platform: true,
    routes: { here: { open } },
  })
  const { ask } = await testIngress(t, own, [here], {
    only: [],
    requestLog: { everyMs: 50, perSecond: 1_000 },
    keyCacheMs: 60_000,
    databaseTimeoutMs: 1_000,
  })
  const { org, keys } = await testOrg(own, ['files:write'])
  const key = keys.main as string
  t.match(await ask('GET /v1/here', { key }), { status: 200 })
  const statuses: number[] = []
  await away(2, async () => {
    for (let n = 0; n < 20; n++) statuses.push((await ask('GET /v1/here', { key })).status)
  })
  const logged = statuses.filter((status) => status === 200).length
  await until(async () => (await rowsOf(own, org.id)) >= 1 + logged, { what: 'all that was answered is logged' })
  await until(async () => (await countOf(own, org.id)) === (await rowsOf(own, org.id)), { what: 'counts are whole' })
})

t.test('days are made ahead and dropped when they are over, one that was cut off midway, too', async (t) => {
  const all = () =>
    db.anyFirst(sql.type(z.object({ name: z.string() }))`
      select relname as name from pg_class where relnamespace = 'account'::regnamespace and relkind = 'r'
        and relname ~ '^requests_[0-9]{8}$' order by 1`)
  const day = (n: number) =>
    `requests_${new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`
  const keep = () => keepRequestDays.run({}, { db, log, signal: new AbortController().signal } as never)
  // The database was migrated today, or just before midnight. Then it also has yesterday.
  const names = async () => (await all()).filter((name) => name !== day(-1))
  t.equal((await all()).length, 4)
  await keep()
  t.same(await names(), [0, 1, 2, 3].map(day))
  await db.query(sql.typeAlias('void')`drop table ${sql.identifier(['account', day(2)])}`)
  const past = async (n: number) => {
    const at = new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10)
    const name = sql.identifier(['account', day(-n)])
    await db.query(sql.typeAlias('void')`create table ${name} (like account.requests including all)`)
    await db.query(sql.unsafe`alter table account.requests attach partition ${name}
      for values from (${sql.literalValue((await bound(at)) as string)}) to (${sql.literalValue((await bound(at, 1)) as string)})`)
  }
  const bound = (at: string, more = 0) =>
    db.oneFirst(
      sql.type(z.object({ id: z.string() }))`select account.first_id_of(${at}::date + ${more}::integer) as id`,
    )
  for (const n of [7, 8, 9]) await past(n)
  await db.query(sql.typeAlias('void')`
    alter table account.requests detach partition ${sql.identifier(['account', day(-9)])} concurrently`)
  await keep()
  t.same(await names(), [-7, 0, 1, 2, 3].map(day))
  t.equal(await dropDays(db, 7), 0)
})
