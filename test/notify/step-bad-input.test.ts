import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { notifying, person } from './people.ts'

const { teller } = await notifying(t)
const one = await teller()

const flow = { name: 'F', product_key: 'shop', type: 'order.shipped' }
const inApp = { type: 'channel', channel: 'in_app' }
const gold = { field: 'data.plan', operator: 'equal_to', value: 'gold' }
const branch = (facts: Record<string, unknown> = {}) => ({
  type: 'branch',
  conditions: [gold],
  steps: [inApp],
  ...facts,
})
const fetch = (facts: Record<string, unknown> = {}) => ({
  type: 'fetch',
  name: 'a',
  url: 'https://shop.example/x',
  ...facts,
})
const throttle = (facts: Record<string, unknown> = {}) => ({ type: 'throttle', runs: 1, minutes: 5, ...facts })
const schedule = (facts: Record<string, unknown> = {}) => ({ type: 'schedule', from: '09:00', ...facts })
const without = (step: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(step).filter(([key]) => key !== name))
const deep = (depth: number): unknown => (depth === 0 ? inApp : branch({ steps: [deep(depth - 1)] }))

/** Steps that are refused as the second of a workflow, and the fields that the answer names, after `body.steps.1.`. */
const bad: readonly [string, unknown, string[]][] = [
  ['branch', branch({ conditions: [] }), ['conditions']],
  ['branch', without(branch(), 'conditions'), ['conditions']],
  ['branch', branch({ conditions: Array(11).fill(gold) }), ['conditions']],
  ['branch', branch({ conditions: 'gold' }), ['conditions']],
  ['branch', branch({ conditions: [{ field: 'x', operator: 'empty' }] }), ['conditions.0.field']],
  ['branch', branch({ conditions: [{ ...gold, operator: 'is' }] }), ['conditions.0.operator']],
  ['branch', branch({ conditions: [{ field: 'fetch.a.b', operator: 'empty' }] }), ['conditions.0.field']],
  ['branch', branch({ conditions: [{ field: 'fetch.A.b', operator: 'empty' }] }), ['conditions.0.field']],
  ['branch', without(branch(), 'steps'), ['steps']],
  ['branch', branch({ steps: inApp }), ['steps']],
  ['branch', branch({ steps: Array(21).fill(throttle()) }), ['steps']],
  ['branch', branch({ steps: [{ type: 'dance' }] }), ['steps.0.type']],
  ['branch', branch({ steps: [inApp, inApp] }), ['steps.1.channel']],
  ['branch', branch({ steps: [{ type: 'digest', minutes: 1 }] }), ['steps.0.type']],
  ['branch', branch({ steps: [], else: [{ type: 'wait', minutes: 0 }] }), ['else.0.minutes']],
  ['branch', branch({ steps: [], else: {} }), ['else']],
  ['branch', branch({ steps: [], else: [7] }), ['else.0']],
  ['branch', branch({ steps: [], otherwise: [] }), ['otherwise']],
  ['branch', branch({ steps: [deep(2)] }), ['steps.0.steps.0.type']],
  ['branch', branch({ steps: [fetch()], else: [fetch()] }), ['else.0.name']],
  ['fetch', without(fetch(), 'name'), ['name']],
  ['fetch', fetch({ name: '' }), ['name']],
  ['fetch', fetch({ name: 'A' }), ['name']],
  ['fetch', fetch({ name: '1a' }), ['name']],
  ['fetch', fetch({ name: 'a'.repeat(33) }), ['name']],
  ['fetch', without(fetch(), 'url'), ['url']],
  ['fetch', fetch({ url: '' }), ['url']],
  ['fetch', fetch({ url: 'shop' }), ['url']],
  ['fetch', fetch({ url: 'http://shop.example/' }), ['url']],
  ['fetch', fetch({ url: 'ftp://shop.example/' }), ['url']],
  ['fetch', fetch({ url: 'file:///etc/passwd' }), ['url']],
  ['fetch', fetch({ url: 'https://127.0.0.1/' }), ['url']],
  ['fetch', fetch({ url: 'https://[::1]/' }), ['url']],
  ['fetch', fetch({ url: 'https://169.254.169.254/latest' }), ['url']],
  ['fetch', fetch({ url: 'https://10.0.0.1/' }), ['url']],
  ['fetch', fetch({ url: 'https://0x7f.1/' }), ['url']],
  ['fetch', fetch({ url: 'https://a:b@shop.example/' }), ['url']],
  ['fetch', fetch({ url: 'https://shop.example/#x' }), ['url']],
  ['fetch', fetch({ url: 'https://{{data.host}}/' }), ['url']],
  ['fetch', fetch({ url: 'https://shop.example{{data.host}}/' }), ['url']],
  ['fetch', fetch({ url: '{{data.url}}' }), ['url']],
  ['fetch', fetch({ url: 'https://shop.example/{{secret}}' }), ['url']],
  ['fetch', fetch({ url: 'https://shop.example/{{' }), ['url']],
  ['fetch', fetch({ url: `https://shop.example/${'x'.repeat(2_000)}` }), ['url']],
  ['fetch', fetch({ method: 'DELETE' }), ['method']],
  ['fetch', fetch({ timeout_seconds: 0 }), ['timeout_seconds']],
  ['fetch', fetch({ timeout_seconds: 16 }), ['timeout_seconds']],
  ['fetch', fetch({ timeout_seconds: '5' }), ['timeout_seconds']],
  ['fetch', fetch({ on_failure: 'panic' }), ['on_failure']],
  ['fetch', fetch({ headers: {} }), ['headers']],
  ['throttle', without(throttle(), 'runs'), ['runs']],
  ['throttle', throttle({ runs: 0 }), ['runs']],
  ['throttle', throttle({ runs: -1 }), ['runs']],
  ['throttle', throttle({ runs: 101 }), ['runs']],
  ['throttle', throttle({ runs: 1.5 }), ['runs']],
  ['throttle', throttle({ runs: '1' }), ['runs']],
  ['throttle', throttle({ runs: null }), ['runs']],
  ['throttle', throttle({ runs: true }), ['runs']],
  ['throttle', without(throttle(), 'minutes'), ['minutes']],
  ['throttle', throttle({ minutes: 0 }), ['minutes']],
  ['throttle', throttle({ minutes: 43_201 }), ['minutes']],
  ['throttle', throttle({ minutes: 0.5 }), ['minutes']],
  ['throttle', throttle({ minutes: [] }), ['minutes']],
  ['throttle', throttle({ key: 'title' }), ['key']],
  ['throttle', throttle({ key: 'data.' }), ['key']],
  ['throttle', throttle({ key: '' }), ['key']],
  ['throttle', throttle({ key: `data.${'x'.repeat(120)}` }), ['key']],
  ['throttle', throttle({ key: 7 }), ['key']],
  ['throttle', throttle({ per: 'person' }), ['per']],
  ['throttle', throttle({ conditions: {} }), ['conditions']],
  ['throttle', throttle({ conditions: [{}] }), ['conditions.0.field', 'conditions.0.operator']],
  ['schedule', without(schedule(), 'from'), ['from']],
  ['schedule', schedule({ from: '' }), ['from']],
  ['schedule', schedule({ from: '9:00' }), ['from']],
  ['schedule', schedule({ from: '24:00' }), ['from']],
  ['schedule', schedule({ from: '09:60' }), ['from']],
  ['schedule', schedule({ from: '09:00:00' }), ['from']],
  ['schedule', schedule({ from: '9am' }), ['from']],
  ['schedule', schedule({ from: 9 }), ['from']],
  ['schedule', schedule({ from: null }), ['from']],
  ['schedule', schedule({ to: '09:00' }), ['to']],
  ['schedule', schedule({ to: '08:00' }), ['to']],
  ['schedule', schedule({ to: 'noon' }), ['to']],
  ['schedule', schedule({ to: '' }), ['to']],
  ['schedule', schedule({ days: [] }), ['days']],
  ['schedule', schedule({ days: ['mon', 'mon'] }), ['days']],
  ['schedule', schedule({ days: ['monday'] }), ['days.0']],
  ['schedule', schedule({ days: [1] }), ['days.0']],
  ['schedule', schedule({ days: 'mon' }), ['days']],
  ['schedule', schedule({ time_zone: 'UTC' }), ['time_zone']],
  ['schedule', schedule({ minutes: 5 }), ['minutes']],
  ['schedule', schedule({ conditions: Array(11).fill(gold) }), ['conditions']],
]

t.test('each kind of step refuses what is wrong, and names the field', async (t) => {
  for (const kind of ['branch', 'fetch', 'throttle', 'schedule'])
    t.ok(bad.filter(([one]) => one === kind).length >= 20, kind)
  for (const [, step, fields] of bad) {
    const first = JSON.stringify(step).includes('in_app') ? { type: 'wait', minutes: 1 } : inApp
    const steps = [first, step, { type: 'channel', channel: 'email' }]
    const reply = await one.ask('PUT /v1/notify/workflows/k', { body: { ...flow, steps } })
    t.equal(reply.status, 400, `${JSON.stringify(step).slice(0, 200)}: ${reply.text.slice(0, 300)}`)
    const wanted = fields.map((field) => `body.steps.1.${field}`)
    t.same(fieldsOf(reply), wanted, JSON.stringify(step).slice(0, 200))
  }
})

t.test('the order of steps, their number, and the other fields', async (t) => {
  const refused = async (steps: unknown[], fields: string[], facts = {}) => {
    const reply = await one.ask('PUT /v1/notify/workflows/k', { body: { ...flow, steps, ...facts } })
    t.equal(reply.status, 400, reply.text.slice(0, 200))
    t.same(fieldsOf(reply), fields)
  }
  const many = (count: number) => Array.from({ length: count }, () => throttle())
  await refused([inApp, branch({ steps: many(10), else: many(10) })], ['body.steps'])
  await refused([branch({ steps: many(2) })], ['body.steps'])
  await refused([inApp, branch()], ['body.steps.1.steps.0.channel'])
  await refused([branch(), inApp], ['body.steps.1.channel'])
  await refused([fetch(), fetch(), inApp], ['body.steps.1.name'])
  await refused(
    [{ ...inApp, conditions: [{ field: 'fetch.a.b', operator: 'empty' }] }, fetch()],
    ['body.steps.0.conditions.0.field'],
  )
  await refused([inApp], ['body.fallback_time_zone'], { fallback_time_zone: 'Mars/Base' })
  t.equal(
    (await one.ask('PUT /v1/notify/workflows/k', { body: { ...flow, steps: [branch({ else: [inApp] })] } })).status,
    200,
    'an item in each half of a branch',
  )
  for (const body of [{ secret: 'x' }, [], 'x'])
    t.equal((await one.ask('POST /v1/notify/fetch-secret/rotate', { body })).status, 400)
})

const content = { product_key: 'shop', type: 'a', title: 'A' }
const cast = (facts: Record<string, unknown>) => ({ ...content, recipients: ['a'], ...facts })
const B = 'POST /v1/notify/broadcasts'
const nobody = person()

const requests: readonly [string, unknown, string[]][] = [
  [B, {}, ['body.product_key', 'body.title', 'body.type']],
  [B, content, ['body.recipients']],
  [B, cast({ topic: 'a' }), ['body.recipients']],
  [B, cast({ all: true }), ['body.recipients']],
  [B, { ...content, topic: 'a', all: true }, ['body.recipients']],
  [B, { ...content, all: false }, ['body.all']],
  [B, { ...content, topic: 'none' }, ['body.topic']],
  [B, { ...content, topic: 'News' }, ['body.topic']],
  [B, cast({ recipients: [] }), ['body.recipients']],
  [B, cast({ recipients: 'a' }), ['body.recipients']],
  [B, cast({ recipients: Array.from({ length: 1_001 }, (_, i) => `p${i}`) }), ['body.recipients']],
  [B, cast({ recipients: [''] }), ['body.recipients.0']],
  [B, cast({ recipients: [' a'] }), ['body.recipients.0']],
  [B, cast({ recipients: ['a', 7] }), ['body.recipients.1']],
  [B, cast({ recipients: ['a'.repeat(256)] }), ['body.recipients.0']],
  [B, cast({ title: '' }), ['body.title']],
  [B, cast({ title: 'a\nb' }), ['body.title']],
  [B, cast({ title: 'x'.repeat(301) }), ['body.title']],
  [B, cast({ body: '' }), ['body.body']],
  [B, cast({ body: 'x'.repeat(10_001) }), ['body.body']],
  [B, cast({ type: '*' }), ['body.type']],
  [B, cast({ url: 'mailto:a@b' }), ['body.url']],
  [B, cast({ data: { a: 1 } }), ['body.data.a']],
  [B, cast({ dedupe_key: '' }), ['body.dedupe_key']],
  [B, cast({ channels: ['fax'] }), ['body.channels.0']],
  [B, cast({ channels: 'email' }), ['body.channels']],
  [B, cast({ send_at: 'now' }), ['body.send_at']],
  ['GET /v1/notify/broadcasts?status=lost&topic=A', undefined, ['query.status', 'query.topic']],
  ['GET /v1/notify/broadcasts?cursor=7', undefined, ['query.cursor']],
  [`GET /v1/notify/broadcasts/${nobody}/people?outcome=lost`, undefined, ['query.outcome']],
  ['PUT /v1/notify/topics/A', { name: 'A' }, ['path.key']],
  ['PUT /v1/notify/topics/-a', { name: 'A' }, ['path.key']],
  ['PUT /v1/notify/topics/a', {}, ['body.name']],
  ['PUT /v1/notify/topics/a', { name: ' A' }, ['body.name']],
  ['PUT /v1/notify/topics/a', { name: 'A', people: [] }, ['body.people']],
  ['PUT /v1/notify/topics/a/people', {}, ['body.user_ids']],
  ['PUT /v1/notify/topics/a/people', { user_ids: [] }, ['body.user_ids']],
  ['PUT /v1/notify/topics/a/people', { user_ids: ['a', null] }, ['body.user_ids.1']],
  ['PUT /v1/notify/topics/a/people', { user_ids: Array(1_001).fill('a') }, ['body.user_ids']],
  ['DELETE /v1/notify/topics/a/people', undefined, ['body']],
  ['DELETE /v1/notify/topics/a/people', { user_ids: ['a\u0000'] }, ['body.user_ids.0']],
  ['GET /v1/notify/people/%20a/topics', undefined, ['path.user_id']],
  ['POST /v1/notify/events/batch', {}, ['body.events']],
  ['POST /v1/notify/events/batch', { events: [] }, ['body.events']],
  ['POST /v1/notify/events/batch', { events: Array(101).fill({}) }, ['body.events']],
  ['POST /v1/notify/events/batch', { events: {}, x: 1 }, ['body.events', 'body.x']],
]

t.test('topics, broadcasts and batches refuse what is wrong, and name the field', async (t) => {
  t.ok(requests.length >= 40, `${requests.length} requests`)
  for (const [request, body, fields] of requests) {
    const reply = await one.ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)?.slice(0, 120)}: ${reply.text.slice(0, 200)}`)
    t.same(fieldsOf(reply), fields, `${request} ${JSON.stringify(body)?.slice(0, 120)}`)
  }
})

t.test('what is not there is a 404', async (t) => {
  for (const [request, body] of [
    ['GET /v1/notify/topics/none'],
    ['DELETE /v1/notify/topics/none'],
    ['GET /v1/notify/topics/none/people'],
    ['PUT /v1/notify/topics/none/people', { user_ids: ['a'] }],
    ['DELETE /v1/notify/topics/none/people', { user_ids: ['a'] }],
    [`GET /v1/notify/broadcasts/${nobody}`],
    [`GET /v1/notify/broadcasts/${nobody}/people`],
    [`POST /v1/notify/broadcasts/${nobody}/cancel`],
    ['GET /v1/notify/broadcasts/x'],
  ] as const)
    t.equal((await one.ask(request, body ? { body } : {})).status, 404, request)
})
