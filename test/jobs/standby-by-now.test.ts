import pg from 'pg'
import { test } from 'tap'
import { z } from 'zod'
import { openPool, sql } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import { answersChannel } from '#tasks/queue/ask.ts'
import { chaosArea } from '../../ops/trials/chaos/area.ts'
import * as ledger from '../../ops/trials/chaos/ledger.ts'
import { QueueConnections } from '../../workers/runtime/queue-connections.ts'
import { NoAnswerError } from '../../workers/runtime/queue-pool.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const Count = z.object({ count: z.number() })
const write = sql.typeAlias('void')`insert into written default values`
const written = 'insert into written default values'

/** A database with a table. New sessions during `refusing` reject writes (25006), as on a standby. */
async function database(t: Scope) {
  const { url, db } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`create table written (id serial)`)
  const name = new URL(url).pathname.slice(1)
  async function refusing<T>(work: () => Promise<T>): Promise<T> {
    await asOwner(url, `alter database ${name} set default_transaction_read_only = on`)
    try {
      return await work()
    } finally {
      await asOwner(url, `alter database ${name} reset default_transaction_read_only`)
    }
  }
  return { url, db, refusing }
}

async function asOwner(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

test('a pool drops a connection to what is a standby by now, within a transaction and without', async (t) => {
  const { url, refusing } = await database(t)
  const pool = await refusing(() => openPool(url, 1))
  t.teardown(() => pool.end())
  await refusing(() => pool.query(sql.unsafe`select 1`))
  await t.rejects(pool.query(write), 'it has one')
  await pool.query(write)
  await refusing(async () => {
    await t.rejects(pool.query(sql.unsafe`select 1 / 0`), 'its connection goes')
    await pool.query(sql.unsafe`select 1`)
  })
  await t.rejects(
    pool.transaction((tx) => tx.query(write)),
    'it has another',
  )
  await pool.transaction((tx) => tx.query(write))
})

test('so do the connections of the queues, and what was asked is asked again', async (t) => {
  const { url, db, refusing } = await database(t)
  const connections = new QueueConnections(url, ['core'], 1)
  t.teardown(() => connections.end())
  const pool = connections.poolOf('core', () => false)
  await refusing(() => pool.query('select 1'))
  await pool.query(written).catch((error) => t.type(error, NoAnswerError))
  await pool.query(written)
  t.ok((await db.oneFirst(sql.type(Count)`select count(*)::integer as count from written`)) > 0)
})

test('the ingress answers 503 once for each such connection, and then takes what is sent', async (t) => {
  const { url, db, refusing } = await database(t)
  await ledger.install(db)
  const { keys } = await testOrg(db, ['stream:write'])
  const listener = listen(url, [answersChannel])
  t.teardown(() => listener.close())
  const pool = await openPool(url, 1)
  t.teardown(() => pool.end())
  const { ask } = await testIngress(t, pool, [chaosArea(listener, 'http://127.0.0.1:1')], { only: [] })
  for (const path of ['items', 'grouped-items']) {
    const send = async (name: string) => {
      const body = { name, kind: 'note', round: 1, priority: 0, delay: 0 }
      const headers = { 'idempotency-key': name }
      return (await ask(`POST /v1/chaos/${path}`, { key: keys.main, body, headers })).status
    }
    // Other work of the process can meet the connection first.
    const refused = await until(async () => {
      await refusing(async () => {
        await t.rejects(pool.query(sql.unsafe`select 1 / 0`), 'its connection goes')
        await pool.query(sql.unsafe`select 1`)
      })
      const name = `${path} ${performance.now()}`
      const status = await send(name)
      return status === 202 ? undefined : { name, status }
    })
    t.equal(refused.status, 503, path)
    t.equal(await send(refused.name), 202, path)
  }
})

test('a listener that is refused on a standby leaves no connection there', async (t) => {
  const { url, db } = await database(t)
  // An empty channel name fails like LISTEN in recovery: after the connection was opened.
  const listener = listen(url, [''], 20)
  const here = () =>
    db.oneFirst(sql.type(Count)`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and query like 'listen%'`)
  let most = 0
  for (let asked = 0; asked < 40; asked++) most = Math.max(most, await here())
  await listener.close()
  t.ok(most <= 2, `${most} at once`)
})
