import { hash } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { deleteExpired, type Retention } from '#sql/retention.ts'
import { area } from '../../ingress/http/area.ts'
import { problem } from '../../ingress/http/problem-kinds.ts'
import { route } from '../../ingress/http/route.ts'
import { conflict } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as idempotency from '../../sql/account/idempotency.ts'
import { openPool, sql } from '../../sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'

const Order = z.object({ id: z.string(), item: z.string() })
const soldOut = problem(409, 'sold_out', 'None is left.')
const Count = z.object({ n: z.number() })

/** Called in the middle of each order's transaction. */
let midway: () => Promise<void> = async () => {}
let prepared = 0

const facts = {
  method: 'POST',
  scope: 'files:write',
  testKeys: 'sandbox',
  locks: ['tenant_id'],
  status: 201,
  body: z.strictObject({ item: z.string(), count: z.number().default(1), key: z.string().optional() }),
  reply: Order,
} as const

const insertOrder = sql.type(Order)

const make = route({
  ...facts,
  path: '/orders/{shop}',
  summary: 'Order',
  problems: [soldOut],
  idempotent: { field: 'key' },
  async handle({ body, db }) {
    const order = await db.one(insertOrder`
      insert into orders (id, item) values (${newId()}, ${body.item}) returning id, item`)
    await midway()
    return order
  },
})

const prepare = route({
  ...facts,
  path: '/prepared',
  summary: 'Order with something outside',
  idempotent: true,
  async prepare({ body }) {
    prepared++
    return body.item.toUpperCase()
  },
  async handle({ prepared, db }) {
    return await db.one(insertOrder`
      insert into orders (id, item) values (${newId()}, ${prepared}) returning id, item`)
  },
})

const shop = area({
  name: 'shop',
  title: 'Shop',
  description: 'Shop.',
  base: '/v1',
  platform: true,
  routes: { orders: { make, prepare } },
})

t.test('idempotency keys', async (t) => {
  const { db, url } = await testDatabase(t)
  await db.query(sql.typeAlias('void')`create table orders (id uuid primary key, item text not null)`)
  const { ask } = await testIngress(t, db, [shop], { only: [] })
  const { org, keys } = await testOrg(db, [], {
    keys: {
      live: { prefix: 'snd_live_', scopes: ['files:write'] },
      sandbox: { prefix: 'snd_test_', scopes: ['files:write'] },
    },
  })
  const order = (idempotencyKey: string, body: object, { key = keys.live, path = '/v1/orders/a' } = {}) =>
    ask(`POST ${path}`, { key, body, headers: idempotencyKey ? { 'idempotency-key': idempotencyKey } : {} })
  const orders = async () => (await db.one(sql.type(Count)`select count(*)::int as n from orders`)).n
  const kept = async () => (await db.one(sql.type(Count)`select count(*)::int as n from account.idempotency`)).n

  await t.test('give the first answer again, byte by byte', async (t) => {
    const first = await order('k1', { item: 'tea' })
    t.equal(first.status, 201)
    t.equal(first.headers.get('idempotent-replayed'), null)
    const again = await order('k1', { item: 'tea' })
    t.equal(again.status, 201)
    t.equal(again.text, first.text)
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.equal(await orders(), 1)
  })

  await t.test('take a request with its key in the body for the same as what the release before kept', async (t) => {
    const body = { item: 'milk', key: 'former' }
    const { id } = (await order('', body)).body
    const content = '[{"shop":"a"},null,{"item":"milk","key":"former"}]'
    await db.query(sql.typeAlias('void')`
      update account.idempotency set hash = ${hash('sha256', content, 'hex')} where key = 'former'`)
    t.match((await order('', body)).body, { id })
    t.equal((await order('', { ...body, item: 'tea' })).status, 409)
    await db.query(sql.typeAlias('void')`delete from account.idempotency where key = 'former'`)
    await db.query(sql.typeAlias('void')`delete from orders where id = ${id}`)
  })

  await t.test('refuse another content, whether in the body or in the path', async (t) => {
    t.match(await order('k1', { item: 'milk' }), { status: 409, body: { error: { code: 'conflict' } } })
    t.equal((await order('k1', { item: 'tea' }, { path: '/v1/orders/b' })).status, 409)
    t.equal(await orders(), 1)
  })

  await t.test('may stand in the body field that the route names', async (t) => {
    const first = await order('', { item: 'rye', key: 'body-key' })
    const again = await order('', { key: 'body-key', item: 'rye' })
    t.equal(again.text, first.text)
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.match(await order('header-key', { item: 'rye', key: 'body-key' }), { status: 400 })
    t.match(await order('x'.repeat(300), { item: 'rye' }), { status: 400 })
  })

  await t.test('belong to one organisation, and a sandbox key answers for no live one', async (t) => {
    const other = await testOrg(db, ['files:write'])
    const before = await orders()
    const first = await order('k1', { item: 'tea' }, { key: other.keys.main })
    t.equal(first.headers.get('idempotent-replayed'), null)
    t.equal((await order('k1', { item: 'tea' }, { key: keys.sandbox })).headers.get('idempotent-replayed'), null)
    t.equal(await orders(), before + 2)
  })

  await t.test('answer for no key that is locked otherwise', async (t) => {
    const made = await testOrg(db, [], {
      keys: {
        free: { prefix: 'bt_live_', scopes: ['files:write'] },
        one: { prefix: 'bt_live_', scopes: ['files:write'], locks: { tenant_id: 'one' } },
        two: { prefix: 'bt_live_', scopes: ['files:write'], locks: { tenant_id: 'two' } },
      },
    })
    const { free, one, two } = made.keys
    t.equal((await order('locked', { item: 'tea' }, { key: one })).status, 201)
    t.equal((await order('locked', { item: 'tea' }, { key: one })).headers.get('idempotent-replayed'), 'true')
    for (const key of [two, free]) {
      const reply = await order('locked', { item: 'tea' }, { key })
      t.match(reply, { status: 409, body: { error: { code: 'conflict' } } })
    }
  })

  await t.test('make concurrent duplicates wait for the first, on other processes too', async (t) => {
    const second = await openPool(url)
    t.teardown(() => second.end())
    const other = await testIngress(t, second, [shop], { only: [] })
    const before = await orders()
    const gate = Promise.withResolvers<void>()
    let entered = 0
    midway = () => {
      entered++
      return gate.promise
    }
    const send = (ingress: { ask: typeof ask }) =>
      ingress.ask('POST /v1/orders/a', {
        key: keys.live,
        body: { item: 'nuts' },
        headers: { 'idempotency-key': 'dup' },
      })
    const all = Promise.all([{ ask }, other, { ask }, other].map(send))
    const Waiting = sql.type(Count)`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await db.one(Waiting)).n === 3)
    gate.resolve()
    const replies = await all
    midway = async () => {}
    t.equal(entered, 1)
    t.equal(await orders(), before + 1)
    t.strictSame(new Set(replies.map((r) => r.text)).size, 1)
    t.equal(replies.filter((r) => r.headers.get('idempotent-replayed') === 'true').length, 3)
  })

  await t.test('of a request that failed are free again, and nothing of it stays', async (t) => {
    const [before, keptBefore] = [await orders(), await kept()]
    for (const error of [new Error('bug'), conflict('Sold out.', 'sold_out')]) {
      midway = () => Promise.reject(error)
      t.equal((await order('fail', { item: 'figs' })).status, 'status' in error ? 409 : 500)
    }
    midway = async () => {}
    t.equal(await orders(), before)
    t.equal(await kept(), keptBefore)
    const reply = await order('fail', { item: 'dates' })
    t.equal(reply.status, 201, 'even with another content')
    t.equal(reply.headers.get('idempotent-replayed'), null)
  })

  await t.test('survive a connection that breaks in the middle of the transaction', async (t) => {
    const before = await orders()
    const gate = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    midway = () => {
      inside.resolve()
      return gate.promise
    }
    const answer = order('crash', { item: 'oats' })
    await inside.promise
    await db.query(sql.typeAlias('void')`
      with victim as materialized (select pid from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction')
      select from victim where pg_terminate_backend(pid)`)
    gate.resolve()
    const reply = await answer
    midway = async () => {}
    t.equal(reply.status, 503)
    t.ok(reply.headers.get('retry-after'))
    t.equal(await orders(), before)
    t.equal((await order('crash', { item: 'oats' })).status, 201)
    t.equal(await orders(), before + 1)
  })

  await t.test('spare what was prepared outside the transaction a second run', async (t) => {
    const first = await order('p', { item: 'salt' }, { path: '/v1/prepared' })
    t.match(first, { status: 201, body: { item: 'SALT' } })
    t.equal((await order('p', { item: 'salt' }, { path: '/v1/prepared' })).text, first.text)
    t.equal(prepared, 1)
  })

  await t.test('are not needed', async (t) => {
    const before = await orders()
    await order('', { item: 'rice' })
    await order('', { item: 'rice' })
    t.equal(await orders(), before + 2)
  })

  await t.test('are forgotten after 24 hours', async (t) => {
    await db.query(sql.typeAlias('void')`
      update account.idempotency set created_at = now() - interval '25 hours' where key in ('k1', 'fail')`)
    const reply = await order('k1', { item: 'another' })
    t.equal(reply.status, 201, 'an old key that is still there counts no more')
    const before = await kept()
    const { name, retentions } = idempotency.table
    const forgetSome = (batch: number) => deleteExpired(db, name, { ...(retentions[0] as Retention), batch })
    t.equal(await forgetSome(2), true)
    t.equal(await forgetSome(100), false)
    t.ok((await kept()) < before - 2)
    t.ok(org.id)
  })
})
