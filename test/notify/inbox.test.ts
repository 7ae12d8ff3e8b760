import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { notifying, notifyWorker, person } from './people.ts'

const { db, databaseUrl, teller } = await notifying(t)
const [one, other] = [await teller(), await teller()]

const read = (id: string, userId: string, who = one) =>
  who.ask(`POST /v1/notify/inbox/${id}/read`, { body: { user_id: userId } })
const readAll = (userId: string, facts = {}, who = one) =>
  who.ask('POST /v1/notify/inbox/read-all', { body: { user_id: userId, ...facts } })

t.test('pages go from the newest to the oldest, with filters for products and what is unread', async (t) => {
  const user = person()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.unshift((await one.tell(user, { product_key: n % 2 ? 'crm' : 'shop' })).body.id)
  const pages: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await one.ask(`GET /v1/notify/inbox?user_id=${user}&limit=2${cursor}`)
    pages.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.same(pages, ids)
  t.same(await one.inbox(user, 'product_key=crm'), [ids[1], ids[3]])
  t.equal((await read(ids[0] as string, user)).status, 200)
  t.same(await one.inbox(user, 'unread=true'), ids.slice(1))
  t.same(await one.inbox(user, 'unread=false'), ids.slice(0, 1))
  t.same((await one.ask(`GET /v1/notify/unread-count?user_id=${user}`)).body, {
    user_id: user,
    unread_count: 4,
    by_product: { crm: 2, shop: 2 },
  })
  t.match((await one.ask(`GET /v1/notify/unread-count?user_id=${user}&product_key=crm`)).body, { unread_count: 2 })
  t.match((await one.ask(`GET /v1/notify/unread-count?user_id=${person()}`)).body, { unread_count: 0, by_product: {} })
})

t.test('an item is read once, by its own person', async (t) => {
  const user = person()
  const { id } = (await one.tell(user)).body
  for (const [who, asked] of [
    [one, person()],
    [other, user],
  ] as const) {
    t.match((await read(id, asked, who)).body.error, { code: 'not_found', message: 'No such item.' })
  }
  for (const none of [newId(), 'x']) t.equal((await read(none, user)).status, 404)
  t.equal(await one.unread(user), 1)
  const first = await read(id, user.toUpperCase())
  t.match(first.body, { id, user_id: user, read_at: /Z$/ })
  t.same((await read(id, user)).body, first.body)
  t.equal(await one.unread(user), 0)
})

t.test('read-all marks one product or all, of one person in one organisation', async (t) => {
  const user = person()
  for (const product_key of ['shop', 'shop', 'crm']) await one.tell(user, { product_key })
  await one.tell(person())
  await other.tell(user)
  t.match((await readAll(user, { product_key: 'shop' })).body, { user_id: user, marked: 2, unread_count: 1 })
  t.match((await readAll(user)).body, { marked: 1, unread_count: 0 })
  t.match((await readAll(user)).body, { marked: 0, unread_count: 0 })
  t.match((await readAll(person())).body, { marked: 0, unread_count: 0 })
  t.equal(await other.unread(user), 1)
})

t.test('counts are right while events come, single items are read, and all are', async (t) => {
  const user = person()
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      if (n % 6 === 5) return (await readAll(user)).body.marked as number
      const { body } = await one.tell(user)
      return n % 3 === 0 && (await read(body.id, user)).status !== 200 ? Number.NaN : 0
    }),
  )
  t.ok(answers.every((marked) => marked >= 0))
  const unread = await one.inbox(user, 'unread=true&limit=100')
  t.equal(await one.unread(user), unread.length)
  t.equal((await one.inbox(user, 'limit=100')).length, 50)
  t.equal((await readAll(user)).body.marked, unread.length)
  t.equal(await one.unread(user), 0)
})

t.test('concurrent read-alls mark each item once', async (t) => {
  const user = person()
  await Promise.all(Array.from({ length: 30 }, () => one.tell(user)))
  const marked = await Promise.all(Array.from({ length: 10 }, async () => (await readAll(user)).body.marked as number))
  t.equal(
    marked.reduce((sum, n) => sum + n, 0),
    30,
  )
})

t.test('old events are forgotten with their places in inboxes, not while their mail waits', async (t) => {
  const user = person()
  await one.prefer(user, ['in_app', 'email'], { digest: { window_minutes: 60 } })
  const kept = [(await one.tell(user, { email: 'a@rcpt.example' })).body.id]
  const gone = [(await one.tell(user)).body.id, (await one.tell(user, { type: 'other', dedupe_key: 'k' })).body.id]
  await db.query(sql.typeAlias('void')`
    update notify.events set created_at = now() - interval '181 days' where user_id = ${user}`)
  kept.unshift((await one.tell(user)).body.id)
  await notifyWorker(t, databaseUrl)
  await enqueue(db, prune, { tables: ['notify.events'] })
  await until(async () => (await one.ask(`GET /v1/notify/events/${gone[0]}`)).status === 404)
  t.same(await one.inbox(user), kept)
  t.equal(await one.unread(user), 2)
  t.match((await one.tell(user, { dedupe_key: 'k' })).body, { deduplicated: false })
})

t.test('a 400 names every field', async (t) => {
  t.same(fieldsOf(await one.ask('GET /v1/notify/inbox?unread=maybe&limit=0&cursor=x&product_key=')), [
    ...['query.limit', 'query.product_key', 'query.unread', 'query.user_id'],
  ])
  t.same(fieldsOf(await one.ask(`GET /v1/notify/inbox?user_id=${person()}&cursor=x`)), ['query.cursor'])
  t.same(fieldsOf(await one.ask('GET /v1/notify/unread-count?user_id=%201')), ['query.user_id'])
  t.same(fieldsOf(await read(newId(), ' ann')), ['body.user_id'])
  t.same(fieldsOf(await readAll(' ann', { product_key: ' ', more: 1 })), [
    ...['body.more', 'body.product_key', 'body.user_id'],
  ])
})
