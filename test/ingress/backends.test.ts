import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'
import { notFound } from '../../lib/errors.ts'
import { type DatabasePool, openPool, sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const lock = 7_002
const Reply = z.object({ ok: z.boolean() })

const common = { scope: 'files:write', limit: false, status: 200, reply: Reply } as const
const keep = route({
  ...common,
  method: 'POST',
  path: '/keep',
  summary: 'Hold a connection',
  async handle({ db }) {
    return await db.one(sql.type(Reply)`select pg_advisory_xact_lock_shared(${lock}) is not null as ok`)
  },
})
const missing = route({
  ...common,
  method: 'POST',
  path: '/missing',
  summary: 'Find nothing',
  problems: ['not_found'],
  idempotent: true,
  async handle({ db }) {
    await db.query(sql.typeAlias('void')`insert into written values (1)`)
    throw notFound('thing')
  },
})
const things = area({
  name: 'things',
  title: 'T',
  description: 'T.',
  base: '/v1',
  platform: true,
  routes: { t: { keep, missing } },
})

/** An ingress with a pool of one connection, so the test can see whether the connection was replaced. */
async function scene(t: Parameters<typeof testIngress>[0], databaseTimeoutMs?: number) {
  const { url, db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`create table written (number integer)`)
  const pool = await openPool(url, 1)
  t.teardown(() => pool.end())
  const { ask } = await testIngress(t, pool, [things], databaseTimeoutMs === undefined ? {} : { databaseTimeoutMs })
  const { keys } = await testOrg(db, ['files:write', 'stream:write'])
  const send = (request: string, headers: Record<string, string> = {}) => ask(request, { key: keys.main, headers })
  return { url, db, pool, send }
}

const backend = (pool: DatabasePool) =>
  pool.oneFirst(sql.type(z.object({ pid: z.number() }))`select pg_backend_pid() as pid`)

t.test('thirty answers of 404 cost no Postgres backend, and leave nothing written', async (t) => {
  const { db, pool, send } = await scene(t)
  const before = await backend(pool)
  for (let i = 0; i < 30; i++) {
    const path = i % 2 ? `DELETE /v1/stream/uploads/${crypto.randomUUID()}` : 'POST /v1/missing'
    t.match(await send(path, { 'idempotency-key': `key ${i}` }), {
      status: 404,
      body: { error: { code: 'not_found' } },
    })
  }
  t.equal(await backend(pool), before)
  t.notOk(await db.exists(sql.typeAlias('void')`select from written`))
})

t.test('a transaction that a fault ends gives its connection up, as its state is not known', async (t) => {
  const { pool } = await scene(t)
  const before = await backend(pool)
  await t.rejects(
    pool.transaction(async () => {
      throw new Error('a fault')
    }),
    { message: 'a fault' },
  )
  t.not(await backend(pool), before)
})

t.test('requests that are refused for waiting too long cost no Postgres backend', async (t) => {
  // Enough time for the circuit breaker’s probe on a busy machine, and less than the wait for the organisation’s share.
  const { url, db, pool, send } = await scene(t, 3_000)
  const before = await backend(pool)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('select pg_advisory_lock($1)', [lock])
  const first = send('POST /v1/keep')
  await until(() =>
    db.exists(sql.unsafe`select from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`),
  )
  const refused = await Promise.all(Array.from({ length: 10 }, () => send('POST /v1/missing')))
  t.strictSame(
    refused.map(({ status }) => status),
    Array(10).fill(503),
  )
  await holder.query('select pg_advisory_unlock($1)', [lock])
  t.equal((await first).status, 200)
  t.equal((await send('POST /v1/missing')).status, 404)
  t.equal(await backend(pool), before)
})
