import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { campaignWorker, sending } from './sending.ts'

const { databaseUrl, sender } = await sending(t)
await campaignWorker(t, databaseUrl)
const one = await sender()
const people: [string, object][] = [
  [
    'ann',
    { name: 'Ann Lee', attributes: { city: 'Tallinn', orders: 3, address: { zip: '10111' } }, tags: ['vip', 'eu'] },
  ],
  [
    'bob',
    { name: 'Bob', attributes: { city: 'tallinn', orders: 12, likes: ['tea'], since: '2025-03-01' }, tags: ['eu'] },
  ],
  ['cem', { attributes: { orders: '7', vip: true, gone: null } }],
  ['dan', { name: 'D\'an "); drop table', attributes: { city: "'; select 1 --" }, tags: ["o'neil"] }],
]
for (const [name, known] of people)
  await one.ask('POST /send/v1/contacts', { body: { email: `${name}@people.example`, consent_source: 'x', ...known } })
await one.ask('POST /send/v1/contacts/import', { body: { contacts: [{ email: 'eve@people.example', tags: ['eu'] }] } })

const preview = (body: object) => one.ask('POST /send/v1/segments/preview', { body })
const whom = async (body: object) => {
  const { status, body: reply, text } = await preview(body)
  if (status !== 200) throw new Error(text)
  const found = reply.some.map(({ email }: { email: string }) => email.split('@')[0]).sort()
  if (reply.contacts.confirmed !== found.length) throw new Error('The count is another one.')
  return found.join(' ')
}
const condition = (field: string, op: string, value?: unknown) => ({ field, op, ...(value !== undefined && { value }) })

t.test('each condition has those of whom it holds', async (t) => {
  const cases: [string, string, unknown, string][] = [
    ['tag', 'has', 'vip', 'ann'],
    ['tag', 'lacks', 'eu', 'cem dan'],
    ['tag', 'has', "o'neil", 'dan'],
    ['email', 'eq', 'ANN@people.example', 'ann'],
    ['email', 'contains', 'B@', 'bob'],
    ['name', 'eq', 'Bob', 'bob'],
    ['name', 'ne', 'Bob', 'ann cem dan'],
    ['name', 'missing', undefined, 'cem'],
    ['name', 'exists', undefined, 'ann bob dan'],
    ['name', 'contains', 'lee', 'ann'],
    ['attributes.city', 'eq', 'Tallinn', 'ann'],
    ['attributes.city', 'ne', 'Tallinn', 'bob cem dan'],
    ['attributes.city', 'contains', 'TALL', 'ann bob'],
    ['attributes.city', 'eq', "'; select 1 --", 'dan'],
    ['attributes.orders', 'gt', 3, 'bob'],
    ['attributes.orders', 'gte', 3, 'ann bob'],
    ['attributes.orders', 'lt', 12, 'ann'],
    ['attributes.orders', 'lte', 1e300, 'ann bob'],
    ['attributes.orders', 'eq', 3, 'ann'],
    ['attributes.orders', 'eq', '7', 'cem'],
    ['attributes.since', 'gt', '2025-01-01', 'bob'],
    ['attributes.vip', 'eq', true, 'cem'],
    ['attributes.likes', 'contains', 'tea', 'bob'],
    ['attributes.address.zip', 'eq', '10111', 'ann'],
    ['attributes.gone', 'exists', undefined, ''],
    ['attributes.gone', 'missing', undefined, 'ann bob cem dan'],
    ['attributes.orders', 'exists', undefined, 'ann bob cem'],
    ['created_at', 'after', '2020-01-01T00:00:00Z', 'ann bob cem dan'],
    ['created_at', 'before', '2020-01-01T00:00:00+02:00', ''],
  ]
  for (const [field, op, value, expected] of cases) {
    t.equal(await whom({ conditions: [condition(field, op, value)] }), expected, `${field} ${op} ${value}`)
  }
  const [eu, many] = [condition('tag', 'has', 'eu'), condition('attributes.orders', 'gt', 5)]
  t.equal(await whom({ conditions: [eu, many] }), 'bob')
  t.equal(await whom({ match: 'any', conditions: [many, condition('name', 'missing')] }), 'bob cem')
  const group = { match: 'any', conditions: [many, condition('tag', 'has', 'vip')] }
  t.equal(await whom({ conditions: [eu], groups: [group] }), 'ann bob')
  t.match((await preview({ conditions: [eu] })).body.contacts, { confirmed: 2, unconfirmed: 1, unsubscribed: 0 })
})

t.test('a segment is made, counted, changed, and kept while a campaign waits for it', async (t) => {
  const body = { name: 'Europe', conditions: [condition('tag', 'has', 'eu')] }
  const made = await one.ask('POST /send/v1/segments', { body })
  t.match([made.status, made.body], [201, { ...body, match: 'all', groups: [] }])
  const path = `/send/v1/segments/${made.body.id}`
  t.match((await one.ask(`GET ${path}`)).body, { name: 'Europe', contacts: { confirmed: 2, unconfirmed: 1 } })
  t.match((await one.ask('GET /send/v1/segments')).body.data, [{ id: made.body.id }])
  t.same(fieldsOf(await one.ask(`PATCH ${path}`, { body: { conditions: [] } })), ['body.conditions'])
  t.equal((await one.ask(`GET ${path}`)).body.conditions.length, 1)
  t.equal((await one.ask(`PATCH ${path}`, { body: { name: 'EU' } })).body.name, 'EU')
  const stranger = await sender()
  for (const request of [`GET ${path}`, `DELETE ${path}`]) t.equal((await stranger.ask(request)).status, 404)
  t.equal((await stranger.ask(`PATCH ${path}`, { body: { name: 'x' } })).status, 404)
  const campaign = { name: 'a', subject: 'b', html: 'c', from_email: `a@${one.domain}`, segment_id: made.body.id }
  const draft = (await one.ask('POST /send/v1/campaigns', { body: campaign })).body.id
  t.match((await one.ask(`DELETE ${path}`)).body.error.code, 'segment_in_use')
  await one.ask(`POST /send/v1/campaigns/${draft}/send`)
  const sent = await until(async () => {
    const now = (await one.ask(`GET /send/v1/campaigns/${draft}`)).body
    return now.status === 'sent' && now
  })
  t.match(sent, { recipients: 2, blocked: { by_reason: { unconfirmed: 1, unsubscribed: 0 } } })
  const to = (await one.ask(`GET /send/v1/messages?campaign_id=${draft}`)).body.data.map((m: { to: string }) => m.to)
  t.same(to.sort(), ['ann@people.example', 'bob@people.example'])
  t.equal((await one.ask(`DELETE ${path}`)).status, 200)
  const foreign = await stranger.ask('POST /send/v1/campaigns', {
    body: { ...campaign, from_email: `a@${stranger.domain}` },
  })
  t.same(fieldsOf(foreign), ['body.segment_id'])
})

t.test('what asks nothing, or nothing that is there, is named', async (t) => {
  const c = 'body.conditions.0'
  const cases: [unknown, string][] = [
    [condition('tags', 'has', 'x'), `${c}.field`],
    [condition('attributes', 'eq', 'x'), `${c}.field`],
    [condition('attributes.a.b.c.d.e.f', 'eq', 'x'), `${c}.field`],
    [condition("attributes.a'b", 'eq', 'x'), `${c}.field`],
    [condition('attributes.__proto__', 'eq', 'x'), `${c}.field`],
    [condition('constructor', 'eq', 'x'), `${c}.field`],
    [condition('toString', 'eq', 'x'), `${c}.field`],
    [condition('name.first', 'eq', 'x'), `${c}.field`],
    [condition('tag', 'eq', 'x'), `${c}.op`],
    [condition('email', 'exists'), `${c}.op`],
    [condition('created_at', 'gt', '2026-01-01T00:00:00Z'), `${c}.op`],
    [condition('name', 'like', 'x'), `${c}.op`],
    [condition('tag', 'has'), `${c}.value`],
    [condition('tag', 'has', 7), `${c}.value`],
    [condition('tag', 'has', 'a,b'), `${c}.value`],
    [condition('name', 'eq', 7), `${c}.value`],
    [condition('name', 'exists', 'x'), `${c}.value`],
    [condition('attributes.a', 'gt', true), `${c}.value`],
    [condition('attributes.a', 'contains', 7), `${c}.value`],
    [condition('attributes.a', 'eq', { a: 1 }), `${c}.value`],
    [condition('attributes.a', 'eq', 'a\u0000b'), `${c}.value`],
    [condition('attributes.a', 'eq', 'x'.repeat(501)), `${c}.value`],
    [condition('created_at', 'before', 'yesterday'), `${c}.value`],
    [condition('created_at', 'before', '0001-01-01T00:00:00Z'), `${c}.value`],
    [{ field: 'tag', op: 'has', value: 'x', more: 1 }, `${c}.more`],
    ['tag has x', c],
    [null, c],
  ]
  for (const [given, field] of cases) {
    const reply = await preview({ conditions: [given] })
    t.match([reply.status, fieldsOf(reply)], [400, [field]], JSON.stringify(given))
  }
  const many = Array.from({ length: 51 }, () => condition('tag', 'has', 'x'))
  t.same(fieldsOf(await preview({ conditions: many })), ['body.conditions'])
  const half = many.slice(0, 26)
  t.same(fieldsOf(await preview({ conditions: half, groups: [{ match: 'any', conditions: half }] })), [
    'body.conditions',
  ])
  t.same(fieldsOf(await preview({})), ['body.conditions'])
  t.same(fieldsOf(await preview({ groups: [{ match: 'any', conditions: [] }] })), ['body.groups.0.conditions'])
  t.same(fieldsOf(await preview({ match: 'none', conditions: half })), ['body.match'])
  const nested = { match: 'any', conditions: half, groups: [] }
  t.same(fieldsOf(await preview({ conditions: half, groups: [nested] })), ['body.groups.0.groups'])
})
