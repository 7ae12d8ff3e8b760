import t from 'tap'
import { z } from 'zod'
import { signToken, verifyToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { openSource } from './event-source.ts'
import { notifying, person, secret, type Teller } from './people.ts'

const { db, ingress, another, teller } = await notifying(t)
const [one, other] = [await teller(), await teller()]

const tokenFor = async (userId: string, facts = {}, who: Teller = one) =>
  (await who.ask('POST /v1/notify/stream-tokens', { body: { user_id: userId, ...facts } })).body
const watch = async (t: Parameters<typeof openSource>[0], userId: string, facts = {}, who: Teller = one) =>
  await openSource(t, (await tokenFor(userId, facts, who)).url)
const readAll = (userId: string) => one.ask('POST /v1/notify/inbox/read-all', { body: { user_id: userId } })
const titles = (items: { title: string }[]) => items.map(({ title }) => title)

t.test('a page sees what comes and what is read, with the count of what is unread', async (t) => {
  const user = person()
  const before = (await one.tell(user, { title: 'before' })).body
  const source = await watch(t, user)
  t.equal(source.status, 200)
  t.match(source.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  t.equal(source.headers['access-control-allow-origin'], '*')
  t.same(await source.wait('unread_count', 1), [{ unread_count: 1 }])
  t.same(source.lines, ['retry: 3000'])
  const { id } = (await one.tell(user, { body: 'two\nlines', data: { a: 'b' } })).body
  const [item] = await source.wait('item', 1)
  t.same([item], (await one.ask(`GET /v1/notify/inbox?user_id=${user}&limit=1`)).body.data)
  await one.ask(`POST /v1/notify/inbox/${id}/read`, { body: { user_id: user } })
  t.match(await source.wait('read', 1), [{ ids: [id], read_at: /Z$/ }])
  await readAll(user)
  t.match((await source.wait('read', 2))[1], { ids: [before.id] })
  t.same(
    (await source.wait('unread_count', 4)).map(({ unread_count }) => unread_count),
    [1, 2, 1, 0],
  )
})

t.test('a stream is of one person of one organisation, and of one product where that is asked for', async (t) => {
  const user = person()
  const [all, crm, others] = [
    await watch(t, user),
    await watch(t, user, { product_key: 'crm' }),
    await watch(t, user, {}, other),
  ]
  await one.tell(user, { title: 'shop' })
  await one.tell(user, { title: 'crm', product_key: 'crm' })
  await one.tell(person(), { title: 'stranger' })
  await other.tell(user, { title: 'other' })
  t.same(titles(await all.wait('item', 2)), ['shop', 'crm'])
  t.same(titles(await crm.wait('item', 1)), ['crm'])
  t.same(titles(await others.wait('item', 1)), ['other'])
  t.same((await crm.wait('unread_count', 2)).at(-1), { unread_count: 1 })
  t.equal(all.came.filter(({ event }) => event === 'item').length, 2)
})

t.test('a client that comes back gets what it missed, in order and once', async (t) => {
  const user = person()
  const { url } = await tokenFor(user)
  const ids = [(await one.tell(user, { title: 'a' })).body.id, (await one.tell(user, { title: 'b' })).body.id]
  const source = await openSource(t, url)
  t.same(titles(await source.wait('item', 2)), ['a', 'b'], 'what came after the token was made')
  await source.wait('unread_count', 1)
  t.equal(source.lastEventId, '2')
  source.close()
  await one.ask(`POST /v1/notify/inbox/${ids[1]}/read`, { body: { user_id: user } })
  await one.tell(user, { title: 'c' })
  await readAll(user)
  await one.tell(user, { title: 'd' })
  const again = await openSource(t, url, { 'last-event-id': source.lastEventId })
  await again.wait('unread_count', 1)
  t.match(again.came, [
    { event: 'read', id: '3', data: { ids: [ids[1]] } },
    { event: 'item', id: '4', data: { title: 'c', read_at: /Z$/ } },
    { event: 'read', id: '5', data: { ids: { length: 2 } } },
    { event: 'item', id: '6', data: { title: 'd', read_at: null } },
    { event: 'unread_count', id: '6', data: { unread_count: 1 } },
  ])
})

t.test('who missed too much, or names what never was, is told to load the inbox anew', async (t) => {
  const user = person()
  const { url } = await tokenFor(user)
  await Promise.all(Array.from({ length: 510 }, (_, n) => one.tell(user, { title: `${n}` })))
  const from = async (id: string) => {
    const source = await openSource(t, url, { 'last-event-id': id })
    await source.wait('unread_count', 1)
    source.close()
    return source.came.map(({ event }) => event)
  }
  t.same(await from('0'), ['reset', 'unread_count'])
  t.same(await from('9'), ['reset', 'unread_count'])
  t.equal((await from('10')).length, 501)
  t.same(await from('509'), ['item', 'unread_count'])
  t.same(await from('510'), ['unread_count'])
  for (const id of ['511', 'x', '-1', '9'.repeat(30)]) t.same(await from(id), ['reset', 'unread_count'], id)
  await readAll(user)
  t.same(await from('510'), ['reset', 'unread_count'], 'more is read at once than is told one by one')
  await db.query(sql.typeAlias('void')`update notify.users set forgotten = 500 where user_id = ${user}`)
  t.same(await from('499'), ['reset', 'unread_count'], 'what is deleted cannot be told')
})

t.test('what is read at once comes in events of a hundred, of which the last has the id', async (t) => {
  const user = person()
  await Promise.all(Array.from({ length: 250 }, () => one.tell(user)))
  const source = await watch(t, user)
  await source.wait('unread_count', 1)
  await readAll(user)
  const reads = await source.wait('read', 3)
  t.same(
    reads.map(({ ids }) => ids.length),
    [100, 100, 50],
  )
  t.same(
    source.came.filter(({ event }) => event === 'read').map(({ id }) => id),
    [undefined, undefined, '251'],
  )
})

t.test('events that come while streams open, on two ingresses, reach each stream once', async (t) => {
  const user = person()
  const secondIngress = await another()
  const told = Array.from({ length: 100 }, (_, n) => one.tell(user, { title: `${n}` }))
  const sources = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const { url } = await tokenFor(user)
      return await openSource(
        t,
        n % 2 ? url : url.replace(ingress.url, secondIngress.url).replace(/last_event_id=\d+/, 'last_event_id=0'),
      )
    }),
  )
  await Promise.all(told)
  for (const [n, source] of sources.entries()) {
    await until(() => source.lastEventId === '100')
    const ids = source.came.flatMap(({ event, id }) => (event === 'item' ? [Number(id)] : []))
    t.same(
      ids,
      Array.from({ length: ids.length }, (_, i) => 101 - ids.length + i),
      `stream ${n}: in order, without a gap`,
    )
    if (n % 2 === 0) t.equal(ids.length, 100)
  }
})

t.test('what happens while the connection that listens is lost is told when it is back', async (t) => {
  const user = person()
  const source = await watch(t, user)
  await one.tell(user, { title: 'before' })
  await source.wait('item', 1)
  const Ended = z.object({ ended: z.boolean() })
  const ended = await db.any(sql.type(Ended)`
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and query like 'listen%'`)
  t.ok(ended.length > 0)
  await one.tell(user, { title: 'meanwhile' })
  t.same(titles(await source.wait('item', 2)), ['before', 'meanwhile'])
})

t.test('a token opens the stream it was made for, until it ends, and the stream ends with it', async (t) => {
  const user = person()
  const { url, token, last_event_id, expires_at } = await tokenFor(user, { ttl_seconds: 60 })
  t.equal(url, `${ingress.url}/v1/notify/stream?${new URLSearchParams({ user_id: user, token, last_event_id })}`)
  t.ok(Math.abs(Date.parse(expires_at) - Date.now() - 60_000) < 30_000)
  const status = async (userId: string, given: string) =>
    (await ingress.ask(`GET /v1/notify/stream?user_id=${userId}&token=${given}`)).status
  t.equal(await status(person(), token), 401)
  t.equal(await status(user, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`), 401)
  t.equal(await status(user, one.key), 401)
  const key = verifyToken('notify stream', token, secret, z.object({ key: z.guid() }))?.key
  const made = (seconds: number, purpose = 'notify stream') =>
    signToken(purpose, { org: one.orgId, key, user, exp: Date.now() / 1000 + seconds }, secret)
  t.equal(await status(user, made(-1)), 401)
  t.equal(await status(user, made(60, 'another purpose')), 401)
  const source = await openSource(t, `${ingress.url}/v1/notify/stream?user_id=${user.toUpperCase()}&token=${made(5)}`)
  t.equal(source.status, 200)
  await until(() => source.ended, { what: 'the stream ends with its token' })
})

t.test('streams and their tokens end with the key that made them', async (t) => {
  const user = person()
  const scopes = ['notify:read']
  const made = await keys.create(db, { orgId: one.orgId, prefix: 'bt_live_', name: 'old', scopes })
  const { url } = (await ingress.ask('POST /v1/notify/stream-tokens', { key: made.secret, body: { user_id: user } }))
    .body
  const source = await openSource(t, url)
  t.equal(source.status, 200)
  await keys.revoke(db, one.orgId, made.id)
  await until(() => source.ended, { what: 'the stream ends with its key' })
  await until(async () => (await openSource(t, url)).status === 401)
})

t.test('fifty streams are enough for a person', async (t) => {
  const user = person()
  const { url } = await tokenFor(user)
  const sources = await Promise.all(Array.from({ length: 50 }, () => openSource(t, url)))
  t.ok(sources.every(({ status }) => status === 200))
  const refused = await openSource(t, url)
  t.match([refused.status, refused.headers['retry-after']], [429, '30'])
  sources[0]?.close()
  await until(async () => (await openSource(t, url)).status === 200)
})

t.test('a 400 names every field', async (t) => {
  t.same(fieldsOf(await ingress.ask('GET /v1/notify/stream')), ['query.token', 'query.user_id'])
  const body = { user_id: ' ann', product_key: ' ', ttl_seconds: 5, x: 1 }
  t.same(fieldsOf(await one.ask('POST /v1/notify/stream-tokens', { body })), [
    ...['body.product_key', 'body.ttl_seconds', 'body.user_id', 'body.x'],
  ])
})
