import t from 'tap'
import { z } from 'zod'
import { formatAmount, parseAmount } from '#lib/amount.ts'
import { sql } from '#sql/db.ts'
import { costOf } from '#tasks/ai/rules/cost-of.ts'
import { type EmittedEvent, emitted } from '#tasks/webhooks/rules/emit.ts'
import { json, says } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { moneyStack, unit } from './money-stack.ts'

t.setTimeout(240_000)
const { db, ingress, admin, main, backup, renew, limited, setPrice, costs } = await moneyStack(t)
t.beforeEach(() => renew())

const messages = [{ role: 'user', content: 'a bird' }]
const path = 'POST /v1/ai/chat/completions'
const body = { model: 'gpt-4o', messages, max_tokens: 10 }
const call = (key: { secret: string }, more: object = {}) =>
  ingress.ask(path, { key: key.secret, body: { ...body, ...more } })
await setPrice('the-model')

const told: object[] = []
const hear = (events: unknown) => {
  for (const { type, data } of events as EmittedEvent[]) if (type === 'ai.budget.threshold') told.push(data)
}
emitted.subscribe(hear)
t.teardown(() => emitted.unsubscribe(hear))

t.test('amounts are exact, and invalid ones are rejected', async (t) => {
  for (const [text, amount] of [
    ['0', 0],
    ['12.5', 12_500_000_000],
    ['0.000000001', 1],
    ['9007199', 9_007_199_000_000_000],
  ] as const) {
    t.equal(parseAmount(text), amount)
    t.equal(formatAmount(amount), text)
  }
  for (const text of ['', '-1', '1e3', '1.0000000001', '9007200', '9007199.1', '1,5', ' 1', 'NaN', '１'])
    t.equal(parseAmount(text), undefined, text)
  const price = { id: '', model: '', currency: 'USD', input: 3, cached_input: 1, output: 7, minute: 60_000 }
  t.equal(costOf(price, { prompt_tokens: 1, completion_tokens: 0 }), 1, 'rounded up, once')
  t.equal(costOf(price, { prompt_tokens: 2_000_000, cached_tokens: 1_000_000, completion_tokens: 0 }), 4)
  t.equal(costOf(price, { prompt_tokens: 0, completion_tokens: 0, audio_ms: 1_500 }), 1_500)
  t.equal(
    costOf({ ...price, input: 900 * unit }, { prompt_tokens: 1_000_000_000, completion_tokens: 0 }),
    900_000 * unit,
  )
})

t.test('a completion costs what its tokens cost, and a new price changes no past cost', async (t) => {
  const key = await limited(null)
  const mine = `&key_id=${key.id}`
  await call(key)
  const first = {
    name: 'the-model',
    currency: 'USD',
    cost: '0.000048',
    requests: 1,
    prompt_tokens: 9,
    cached_tokens: 0,
  }
  t.match(await costs(`?by=model${mine}`), [first])
  await setPrice('the-model', { input: 4 * unit })
  t.match(await costs(`?by=model${mine}`), [first])
  main.answer = (res) => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 8 } }
    json(res, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }], usage })
  }
  await setPrice('the-model', { cached_input: 0 })
  const reply = await call(key)
  t.same(reply.body.usage.prompt_tokens_details, { cached_tokens: 8 })
  t.notOk('cached_tokens' in reply.body.usage)
  // 1 input token at 2 and 3 output tokens at 10 USD per million.
  t.match(await costs(`?by=key${mine}`), [{ name: key.id, cost: '0.00008', requests: 2, cached_tokens: 8 }])
  t.match(await costs(`?by=day${mine}`), [{ requests: 2 }])
  t.match(await costs(`?by=operation${mine}`), [{ name: 'completion' }])
  t.match((await admin('GET /v1/ai/usage')).body.costs, [{ currency: 'USD', cost: '0.00008' }])
})

t.test('the price at the start of a request applies', async (t) => {
  await setPrice('the-model')
  const key = await limited(null)
  const arrived = Promise.withResolvers<() => void>()
  main.answer = (res) => arrived.resolve(() => says(res, 'done'))
  const reply = call(key)
  const finish = await arrived.promise
  await setPrice('the-model', { input: 500 * unit })
  finish()
  t.equal((await reply).status, 200)
  t.match(await costs(`?key_id=${key.id}`), [{ cost: '0.0003' }], '100 input and 10 output tokens')
  await setPrice('the-model')
})

t.test('the cost of a model without a price is unknown, and keys with a budget cannot use it', async (t) => {
  main.answer = (res) => json(res, {}, 500)
  const free = await limited(null)
  t.equal((await call(free, { model: 'other-model' })).status, 200)
  t.match(await costs(`?key_id=${free.id}`), [{ name: 'other-model', currency: null, cost: null, prompt_tokens: 9 }])
  const first = await limited(null)
  t.equal((await call(first, { model: 'default' })).status, 200)
  const unknown = [{ name: 'other-model', currency: null, cost: null }]
  t.match(await costs(`?key_id=${first.id}`), unknown, 'not at the price of the first server’s model')
  const key = await limited({ budget: { currency: 'USD', monthly: unit } })
  t.match(await call(key, { model: 'other-model' }), {
    status: 403,
    body: { error: { code: 'model_without_price', type: 'permission_error', param: 'model' } },
  })
  const euros = await limited({ budget: { currency: 'EUR', monthly: unit } })
  t.match(await call(euros), { status: 403, body: { error: { code: 'model_without_price' } } })
  t.equal(backup.asked.length, 2)
})

t.test('the input is charged if the server does not respond in time', async (t) => {
  await renew({ AI_TIMEOUT_MS: '1500' })
  main.answer = () => {}
  const key = await limited({ budget: { currency: 'USD', monthly: 100 } })
  t.equal((await call(key)).status, 502)
  const [cost] = await costs(`?key_id=${key.id}`)
  t.match(cost, { name: 'the-model', requests: 1, completion_tokens: 0 })
  t.ok(Number(cost?.cost) > 0)
  t.equal((await call(key)).status, 429, 'silence is not free of charge')
  t.equal(main.asked.length, 1)
})

t.test('50 concurrent requests on a budget for 10 exceed it by less than one request', async (t) => {
  const cost = 48_000
  told.length = 0
  const key = await limited({ budget: { currency: 'USD', monthly: 10 * cost } })
  const replies = await Promise.all(Array.from({ length: 50 }, () => call(key)))
  const statuses = Map.groupBy(replies, ({ status }) => status)
  t.equal(statuses.get(200)?.length, 10)
  t.equal(statuses.get(429)?.length, 40)
  t.equal(main.asked.length, 10)
  for (const { body } of statuses.get(429) ?? [])
    t.match(body.error, { code: 'insufficient_quota', type: 'insufficient_quota' })
  t.ok(Number((await call(key)).headers.get('retry-after')) >= 1)
  t.match(await costs(`?key_id=${key.id}`), [{ cost: formatAmount(10 * cost), requests: 10 }])
  const about = { key_id: key.id, budget: formatAmount(10 * cost), currency: 'USD' }
  t.match(told, [
    { ...about, percent: 80, used: formatAmount(8 * cost) },
    { ...about, percent: 100, used: formatAmount(10 * cost) },
  ])
  t.notOk(
    await db.exists(sql.type(z.object({ id: z.string() }))`select id from ai.charges`),
    'nothing is left reserved',
  )
})

t.test('a rotated key keeps its spent budget, and a changed budget applies to jobs that wait', async (t) => {
  const key = await limited({ budget: { currency: 'USD', daily: 48_000 } })
  t.equal((await call(key)).status, 200)
  const rotated = (await admin(`POST /v1/account/keys/${key.id}/rotate`, { body: { keep_hours: 0 } })).body
  t.equal(rotated.ai.budget.daily, '0.000048')
  t.match(await call(rotated), { status: 429, body: { error: { details: { period: 'day', used: '0.000048' } } } })
  const raised = { ai: { budget: { currency: 'USD', daily: '0.0001', monthly: '1' } } }
  t.match((await admin(`PATCH /v1/account/keys/${key.id}`, { body: raised })).body.ai, {
    models: null,
    budget: { currency: 'USD', monthly: '1', daily: '0.0001' },
  })
  const arrived = Promise.withResolvers<() => void>()
  main.answer = (res) => arrived.resolve(() => says(res, 'done'))
  const first = call(rotated)
  const finish = await arrived.promise
  const second = call(rotated)
  const waiting = () =>
    db.exists(
      sql.type(z.object({ id: z.string() }))`select id from ai.completions where status = 'pending' and generation > 1`,
    )
  await until(waiting, { what: 'the second request waits for the reservation of the first' })
  await admin(`PATCH /v1/account/keys/${key.id}`, { body: { ai: { models: ['none'] } } })
  finish()
  t.equal((await first).status, 200)
  t.match(await second, { status: 403, body: { error: { code: 'model_not_allowed' } } })
})

t.test('allowed models: list, requests, operations without a model, and keys that a key created', async (t) => {
  const key = await limited({ models: ['gpt-4o'] }, { scopes: ['ai:invoke', 'account:keys'] })
  const listed = await ingress.ask('GET /v1/ai/models', { key: key.secret })
  t.same(
    listed.body.data.map(({ id }: { id: string }) => id),
    ['gpt-4o'],
  )
  t.equal((await ingress.ask('GET /v1/ai/models/the-model', { key: key.secret })).status, 404)
  t.equal((await call(key)).status, 200)
  t.match(await call(key, { model: 'default' }), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  for (const [to, given] of [
    ['POST /v1/ai/summarize', { text: 'One. Two.' }],
    ['POST /v1/ai/moderations', { input: 'a' }],
    ['POST /v1/ai/embeddings', { model: 'default', input: 'a' }],
  ] as const)
    t.match(await ingress.ask(to, { key: key.secret, body: given }), { status: 403 }, to)
  const child = (
    await ingress.ask('POST /v1/account/keys', {
      key: key.secret,
      body: { name: 'child', scopes: ['ai:invoke'], ai: { models: ['default', 'gpt-4o'] } },
    })
  ).body
  t.match(await call(child, { model: 'default' }), { status: 403 }, 'the limits of the creating key apply')
  t.equal((await call(child)).status, 200)
  const other = await limited(null)
  for (const [to, given] of [
    [`PATCH /v1/account/keys/${key.id}`, { ai: null }],
    [`PATCH /v1/account/keys/${other.id}`, { ai: null }],
    [`POST /v1/account/keys/${other.id}/rotate`, {}],
  ] as const)
    t.match(await ingress.ask(to, { key: key.secret, body: given }), { status: 403 }, to)
  t.equal(
    (await ingress.ask(`PATCH /v1/account/keys/${child.id}`, { key: key.secret, body: { ai: null } })).status,
    200,
  )
})

t.test('a budget also counts the requests of keys that the key created', async (t) => {
  const parent = await limited({ budget: { currency: 'USD', monthly: 48_000 } })
  const child = await limited(null, { made_by_key: parent.id })
  t.equal((await call(child)).status, 200)
  t.equal((await call(parent)).status, 429)
  t.equal((await call(child)).status, 429)
})

t.test('wrong limits are rejected with the field', async (t) => {
  const key = await limited(null)
  for (const ai of [
    {},
    [],
    'x',
    { models: 'x' },
    { models: [''] },
    { models: [1] },
    { models: Array.from({ length: 65 }, (_, i) => `m${i}`) },
    { budget: {} },
    { budget: { currency: 'USD' } },
    { budget: { currency: 'usd', monthly: '1' } },
    { budget: { currency: 'USD', monthly: 1 } },
    { budget: { currency: 'USD', monthly: '-1' } },
    { budget: { currency: 'USD', monthly: '1.0000000001' } },
    { budget: { currency: 'USD', daily: '9007200' } },
    { budget: { currency: 'USD', daily: '1', weekly: '1' } },
    { budget: { monthly: '1' } },
    { unknown: 1 },
  ]) {
    const { status, body } = await admin(`PATCH /v1/account/keys/${key.id}`, { body: { ai } })
    t.equal(status, 400, JSON.stringify(ai))
    t.match(body.error.details[0].field, /^body\.ai/)
  }
  for (const query of [
    '?by=x',
    '?from=2026-02-30',
    '?from=2026-02-02&to=2026-02-01',
    '?from=2020-01-01&to=2026-01-01',
    '?key_id=x',
    '?x=1',
    '?to=1999-01-01',
  ])
    t.equal((await admin(`GET /v1/ai/costs${query}`)).status, 400, query)
})
