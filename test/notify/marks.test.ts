import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { openSource } from './event-source.ts'
import { notifying, person } from './people.ts'

const { ingress, teller } = await notifying(t)
const [one, other] = [await teller(), await teller()]
const mark = (userId: string, mark: string, what: object = {}, who = one) =>
  who.ask('POST /v1/notify/inbox/marks', { body: { user_id: userId, mark, ...what } })
const token = async (userId: string, facts: object = {}) =>
  (await one.ask('POST /v1/notify/stream-tokens', { body: { user_id: userId, ...facts } })).body
const asPage = (request: string, given: string, body?: object) =>
  ingress.ask(request, { headers: { authorization: `Bearer ${given}` }, ...(body && { body }) })

t.test('items are seen, read and archived, and all of it is taken back', async (t) => {
  const user = person()
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push((await one.tell(user, { product_key: n < 3 ? 'shop' : 'crm' })).body.id)
  const [a = '', b = ''] = ids
  t.match((await mark(user, 'seen', { product_key: 'crm' })).body, { marked: 1, unread_count: 4, unseen_count: 3 })
  t.match((await mark(user, 'read', { ids: [a] })).body, { marked: 1, unread_count: 3, unseen_count: 2 })
  t.match((await mark(user, 'archived', { ids: [a, b, b] })).body, { marked: 2, unread_count: 2, unseen_count: 1 })
  t.same(await one.inbox(user), [ids[3], ids[2]])
  t.same(await one.inbox(user, 'archived=true'), [b, a])
  t.same(await one.inbox(user, 'unseen=true'), [ids[2]])
  t.same(await one.inbox(user, 'unseen=false'), [ids[3]])
  t.match((await mark(user, 'unarchived')).body, { marked: 2, unread_count: 3 })
  t.match((await mark(user, 'unread', { ids: [a] })).body, { marked: 1, unread_count: 4 })
  t.match((await mark(user, 'unread', { ids: [a] })).body, { marked: 0 })
  const [first] = (await one.ask(`GET /v1/notify/inbox?user_id=${user}`)).body.data.slice(-1)
  t.match(first, { id: a, read_at: null, seen_at: /Z$/, archived_at: null })
  t.same((await one.ask(`GET /v1/notify/inbox/counts?user_id=${user}`)).body, { unread_count: 4, unseen_count: 2 })
  t.match((await mark(person(), 'read', { ids })).body, { marked: 0 }, 'those of another are passed over')
  t.match((await mark(user, 'read', {}, other)).body, { marked: 0 })
  t.equal(await one.unread(user), 4)
})

t.test('streams are told of each mark, and who comes back gets what was missed', async (t) => {
  const user = 'ann@home'
  const { id } = (await one.tell(user)).body
  const { url } = await token(user)
  const source = await openSource(t, url)
  await source.wait('unread_count', 1)
  await mark(user, 'archived', { ids: [id] })
  t.match(await source.wait('marked', 1), [{ items: [{ id, read_at: null, archived_at: /Z$/ }] }])
  const { lastEventId } = source
  source.close()
  await mark(user, 'unarchived')
  await mark(user, 'seen')
  await one.tell(user, { title: 'Next' })
  const again = await openSource(t, url, { 'last-event-id': lastEventId })
  t.match(await again.wait('marked', 1), [{ items: [{ id, seen_at: /Z$/, archived_at: null }] }])
  t.match(await again.wait('item', 1), [{ title: 'Next', user_id: user, seen_at: null }])
})

t.test('a page reads and marks the inbox that its token is for, and no other', async (t) => {
  const user = person()
  for (let n = 0; n < 3; n++) await one.tell(user, { title: `n${n}`, product_key: n ? 'shop' : 'crm' })
  const reads = await token(user)
  const { body, headers } = await asPage('GET /v1/notify/feed?limit=2', reads.token)
  t.match(body, { data: [{ title: 'n2' }, { title: 'n1' }], unread_count: 3, unseen_count: 3, last_event_id: '3' })
  t.equal(headers.get('access-control-allow-origin'), '*')
  const rest = await asPage(`GET /v1/notify/feed?limit=2&cursor=${body.next_cursor}`, reads.token)
  t.match(rest.body, { data: [{ title: 'n0' }], next_cursor: null })
  const read = { mark: 'read' }
  t.equal((await asPage('POST /v1/notify/feed/marks', reads.token, read)).status, 403)
  const ofShop = await token(user, { marks: true, product_key: 'shop' })
  t.match((await asPage('GET /v1/notify/feed', ofShop.token)).body, { data: [{}, {}], unread_count: 2 })
  t.match((await asPage('POST /v1/notify/feed/marks', ofShop.token, { ...read, ids: [rest.body.data[0].id] })).body, {
    marked: 0,
  })
  t.equal((await asPage('POST /v1/notify/feed/marks', ofShop.token, { ...read, product_key: 'crm' })).status, 403)
  t.match((await asPage('POST /v1/notify/feed/marks', ofShop.token, read)).body, { marked: 2, unread_count: 0 })
  t.equal(await one.unread(user), 1)
  for (const given of ['', 'x', one.key, `${ofShop.token}x`])
    t.equal((await asPage('GET /v1/notify/feed', given)).status, 401, given.slice(0, 3))
  const reader = await teller({ scopes: ['notify:read'] })
  const refused = await reader.ask('POST /v1/notify/stream-tokens', { body: { user_id: user, marks: true } })
  t.equal(refused.status, 403)
})

t.test('the files of <mill-inbox> are at most 13 KB zipped, and kept for ever by their version', async (t) => {
  const entry = await fetch(`${ingress.url}/v1/notify/element.js`)
  const text = await entry.text()
  const names = [...text.matchAll(/^import '\.(\/element\/[^']+)'/gm)].map(([, name]) => name)
  t.ok(names.length >= 4)
  let bytes = 0
  for (const name of names) {
    const file = await fetch(`${ingress.url}/v1/notify${name}`, { headers: { 'accept-encoding': 'gzip' } })
    t.match(file.headers.get('cache-control'), 'immutable')
    t.equal(file.headers.get('access-control-allow-origin'), '*')
    bytes += Number(file.headers.get('content-length'))
  }
  t.ok(bytes > 0 && bytes <= 13 * 1024, `${bytes} bytes`)
  t.equal((await fetch(`${ingress.url}/v1/notify/element/000000000000/view.js`)).status, 404)
})

t.test('a 400 of marks names every field', async (t) => {
  t.same(fieldsOf(await mark(' ', 'liked', { ids: ['x'], x: 1 })), [
    'body.ids.0',
    'body.mark',
    'body.user_id',
    'body.x',
  ])
  t.same(fieldsOf(await mark('a', 'read', { ids: [person()], product_key: 'shop' })), ['body.product_key'])
})
