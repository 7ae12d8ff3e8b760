import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as charges from '#sql/ai/charges.ts'
import * as costs from '#sql/ai/costs.ts'
import * as limits from '#sql/ai/key-limits.ts'
import { sql } from '#sql/db.ts'
import { settleCharges } from '#tasks/ai/settle-charges.ts'
import { json, says } from '../support/model-server.ts'
import { moneyStack, unit } from './money-stack.ts'

t.setTimeout(240_000)
const { db, orgId, ingress, main, renew, limited, setPrice, costs: costsOf } = await moneyStack(t)
t.beforeEach(() => renew())
await setPrice('the-model')
await setPrice('other-model')
await setPrice('bge-m3', { input: unit })

t.test('every operation with a model is charged to its key, and stops at the key’s budget', async (t) => {
  const key = await limited({ budget: { currency: 'USD', monthly: unit } })
  const ask = (to: string, body: object) => ingress.ask(`POST /v1/ai/${to}`, { key: key.secret, body })
  const calls: [string, object, unknown?][] = [
    ['embeddings', { model: 'default', input: `text ${newId()}` }],
    ['summarize', { text: 'One. Two. Three.' }, { sentences: ['One.'] }],
    ['classify', { text: 'a', labels: [{ name: 'a' }, { name: 'b' }] }, { scores: [[1, 0]] }],
    ['chat/completions', { model: 'default', messages: [{ role: 'user', content: 'a' }] }],
  ]
  for (const [to, body, said] of calls) {
    main.answer = said ? (res) => says(res, said) : undefined
    await ask(to, body)
  }
  const charged = await costsOf(`?by=operation&key_id=${key.id}`)
  t.same(charged.map(({ name }) => name).sort(), ['classify', 'completion', 'embedding', 'summarize'])
  t.ok(charged.every(({ cost }) => Number(cost) > 0))
  await db.query(sql.typeAlias('void')`
    update account.keys set ai = '{"budget": {"currency": "USD", "monthly": 1}}' where id = ${key.id}`)
  const asked = main.asked.length
  for (const [to, body] of [...calls, ['answer', { question: 'What?', context: 'A text.' }] as const])
    t.equal((await ask(to, to === 'embeddings' ? { ...body, input: newId() } : body)).status, 429, to)
  t.equal(main.asked.length, asked, 'no model is asked')
})

t.test('moderation needs no price, but a price in another currency does not pass a budget', async (t) => {
  const key = await limited({ budget: { currency: 'USD', monthly: unit } })
  const ask = () => ingress.ask('POST /v1/ai/moderations', { key: key.secret, body: { input: 'a' } })
  main.answer = (res) => json(res, {}, 404)
  t.equal((await ask()).status, 200)
  await setPrice('moderation', { currency: 'EUR' })
  t.match(await ask(), { status: 403, body: { error: { code: 'model_without_price' } } })
  t.equal(main.asked.length, 1)
})

const charge = (more: Partial<charges.Charge> = {}): charges.Charge => ({
  ...{ id: newId(), org_id: orgId, key_id: null, operation: 'completion', subject: null, model: 'the-model' },
  ...{ currency: 'USD', price_id: null, reserved: 0, prompt_tokens: 500_000 },
  ...more,
})

t.test('a request whose worker was lost is charged once, at its price', async (t) => {
  const key = await limited(null)
  const price = await db.oneFirst(
    sql.type(z.object({ id: z.string() }))`select id from ai.prices where model = 'the-model'`,
  )
  await charges.insert(db, charge({ key_id: key.id, price_id: price }), 0)
  await charges.insert(db, charge({ key_id: key.id, price_id: price }), 900)
  const tools = { db, signal: new AbortController().signal } as unknown as Parameters<typeof settleCharges.run>[1]
  await Promise.all([settleCharges.run({}, tools), settleCharges.run({}, tools)])
  await settleCharges.run({}, tools)
  t.match(await costsOf(`?key_id=${key.id}`), [{ cost: '1', requests: 1, prompt_tokens: 500_000 }])
})

t.test('a reservation of another key, currency or organisation does not count', async (t) => {
  const [key, other] = [await limited(null), await limited(null)]
  await charges.insert(db, charge({ key_id: key.id, reserved: 5 }), 900)
  await charges.insert(db, charge({ key_id: key.id, reserved: 7, currency: 'EUR' }), 900)
  await charges.insert(db, charge({ key_id: other.id, reserved: 11 }), 900)
  t.match(await limits.findSpent(db, key.id, 'USD'), { reserved: 5, month: 0, day: 0 })
  await costs.add(db, {
    ...{ org_id: orgId, key_id: key.id, model: 'm', operation: 'completion', currency: 'EUR', cost: 3 },
    ...{ prompt_tokens: 1, cached_tokens: 0, completion_tokens: 0 },
  })
  t.match(await limits.findSpent(db, key.id, 'USD'), { month: 0 })
  t.match(await limits.findSpent(db, key.id, 'EUR'), { month: 3, day: 3, reserved: 7 })
})

t.test('a key ends with the key that created it, and with its organisation', async (t) => {
  const [maker, other] = [await limited(null), await limited(null)]
  const child = await limited(null, { made_by_key: maker.id })
  t.same([await limits.hasEnded(db, child.id), await limits.hasEnded(db, other.id)], [false, false])
  await db.query(sql.typeAlias('void')`
    update account.keys set expires_at = clock_timestamp() where id = ${maker.id}`)
  t.same([await limits.hasEnded(db, child.id), await limits.hasEnded(db, other.id)], [true, false])
  await closures.request(db, { orgId, kind: 'operator', name: 'test', days: 1 })
  t.ok(await limits.hasEnded(db, other.id))
  await closures.cancel(db, orgId)
  t.notOk(await limits.hasEnded(db, other.id))
})
