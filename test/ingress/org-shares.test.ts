import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'
import { sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const Answer = z.object({ done: z.literal(true) })
const lock = 41_033

/** Holds a connection until the test releases the lock. */
const hold = route({
  method: 'POST',
  path: '/hold',
  summary: 'Hold a connection',
  scope: 'files:write',
  idempotent: true,
  status: 200,
  body: z.strictObject({}),
  reply: Answer,
  async handle({ db }) {
    await db.query(sql.typeAlias('void')`select from pg_advisory_xact_lock_shared(${lock})`)
    return { done: true as const }
  },
})

const look = route({
  method: 'POST',
  path: '/look',
  summary: 'Use a connection for a moment',
  scope: 'files:write',
  status: 200,
  body: z.strictObject({}),
  reply: Answer,
  async handle({ db }) {
    await db.query(sql.typeAlias('void')`select`)
    return { done: true as const }
  },
})

const holding = area({
  name: 'holding',
  title: 'H',
  description: 'H.',
  base: '/v1/holding',
  platform: true,
  routes: { things: { hold, look } },
})

t.test('an organisation whose requests hold connections keeps no other organisation waiting', async (t) => {
  const { db, url } = await testDatabase(t)
  const { ask } = await testIngress(t, db, [holding], { only: [], databaseTimeoutMs: 650 })
  const [many, other] = [(await testOrg(db, ['files:write'])).keys.main, (await testOrg(db, ['files:write'])).keys.main]
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('select pg_advisory_lock($1)', [lock])

  const post = (path: string, key: string) => ask(`POST /v1/holding/${path}`, { key, body: {} })
  const held = Array.from({ length: 16 }, () => post('hold', many))
  await t.test('others are answered while these wait', async (t) => {
    for (;;) {
      const { rows } = await holder.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [lock],
      )
      if (rows.length >= 5) break
    }
    for (let i = 0; i < 20; i++) t.equal((await post('look', other)).status, 200)
  })
  await holder.query('select pg_advisory_unlock($1)', [lock])
  for (const { status } of await Promise.all(held)) t.equal(status, 200, 'and these are answered in their turn')
})
