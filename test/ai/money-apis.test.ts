import t from 'tap'
import { json } from '../support/model-server.ts'
import { moneyStack, unit } from './money-stack.ts'

t.setTimeout(240_000)
const { ingress, main, backup, renew, limited, setPrice, costs } = await moneyStack(t)
t.beforeEach(() => renew())
await setPrice('the-model')

const headers = { 'millrace-cache': '60' }
let count = 0
/** Bodies of the APIs, with a text that no other test has sent. */
const bodies: Record<string, (more?: object) => object> = {
  responses: (more) => ({ model: 'gpt-4o', input: `bird ${count++}`, ...more }),
  messages: (more) => ({
    ...{ model: 'gpt-4o', max_tokens: 20, messages: [{ role: 'user', content: `bird ${count++}` }] },
    ...more,
  }),
}
const cacheOf = ({ headers: given }: { headers: Headers }) => given.get('millrace-cache')
const failing = [
  { content: 'x', finish_reason: 'length' },
  { content: 'x', finish_reason: 'content_filter' },
]

for (const [api, fresh] of Object.entries(bodies)) {
  const path = `POST /v1/ai/${api}`
  t.test(`${api}: an exact repeat costs nothing, also as a stream`, async (t) => {
    for (const stream of [false, true]) {
      const key = await limited(null)
      const body = fresh({ stream })
      const first = await ingress.ask(path, { key: key.secret, body, headers })
      const again = await ingress.ask(path, { key: key.secret, body, headers })
      t.same([cacheOf(first), cacheOf(again), first.status], ['miss', 'hit', 200])
      t.equal(again.text, first.text)
      t.match(await costs(`?by=none&key_id=${key.id}`), [
        { currency: 'USD', cost: '0.000048', requests: 1, cached: 0 },
        { currency: null, cost: '0', requests: 1, cached: 1 },
      ])
    }
    t.equal(main.asked.length, 2)
    for (const { content, finish_reason } of failing) {
      main.answer = (res) => json(res, { choices: [{ message: { content }, finish_reason }] })
      const [body, { secret: key }] = [fresh(), await limited(null)]
      await ingress.ask(path, { key, body, headers })
      t.equal(cacheOf(await ingress.ask(path, { key, body, headers })), 'miss', finish_reason)
    }
  })

  t.test(`${api}: limits of the key and fallbacks apply`, async (t) => {
    const key = await limited({ models: ['gpt-4o'], budget: { currency: 'USD', monthly: 1 } })
    const refused = await ingress.ask(path, { key: key.secret, body: fresh({ model: 'other-model' }) })
    t.match(refused, { status: 403, body: { error: { message: /cannot use this model/ } } })
    t.equal((await ingress.ask(path, { key: key.secret, body: fresh() })).status, 200)
    t.equal((await ingress.ask(path, { key: key.secret, body: fresh() })).status, 429, 'the budget is spent')
    main.answer = (res) => json(res, {}, 500)
    const free = await limited({ models: ['gpt-4o', 'other-model'] })
    const body = fresh({ fallbacks: ['other-model'] })
    const answered = await ingress.ask(path, { key: free.secret, body })
    t.match(answered, { status: 200, body: { model: 'other-model' } })
    t.notOk(backup.asked.at(-1)?.body.fallbacks, 'not forwarded')
    main.answer = undefined
  })
}

t.test('the same fields in two APIs have separate cached responses', async (t) => {
  const { secret: key } = await limited(null)
  const body = bodies.messages?.()
  t.match((await ingress.ask('POST /v1/ai/messages', { key, body, headers })).body, { type: 'message' })
  const other = await ingress.ask('POST /v1/ai/chat/completions', { key, body, headers })
  t.match([cacheOf(other), other.body], ['miss', { object: 'chat.completion' }])
})

t.test('ranking is charged to the key at the price of its model', async (t) => {
  const path = 'POST /v1/ai/rerank'
  const body = { query: 'refunds', documents: ['Ships sail.', 'Refunds arrive.'] }
  const key = await limited({ budget: { currency: 'USD', monthly: unit } })
  t.match((await ingress.ask(path, { key: key.secret, body })).body, { engine: 'embedded' })
  t.same(await costs(`?key_id=${key.id}`), [], 'the embedded engine costs nothing')
  await renew({ AI_RERANK_MODELS: 'ranker=bge-reranker' })
  main.answer = (res) =>
    json(res, {
      results: body.documents.map((_, index) => ({ index, relevance_score: index })),
      usage: { total_tokens: 40 },
    })
  const asked = { ...body, model: 'ranker' }
  const unpriced = await ingress.ask(path, { key: key.secret, body: asked })
  t.match(unpriced, { status: 403, body: { error: { code: 'model_without_price' } } })
  await setPrice('bge-reranker')
  t.equal((await ingress.ask(path, { key: key.secret, body: asked })).status, 200)
  t.match(await costs(`?by=operation&key_id=${key.id}`), [{ name: 'rerank', cost: '0.00008' }])
  const other = await limited({ models: ['default'] })
  t.equal((await ingress.ask(path, { key: other.secret, body: asked })).status, 403)
  const { data } = (await ingress.ask('GET /v1/ai/models', { key: key.secret })).body
  t.match(
    data.find(({ id }: { id: string }) => id === 'ranker'),
    { kind: 'rerank', owned_by: 'main' },
  )
  t.same((await ingress.ask('GET /v1/ai/models', { key: other.secret })).body.data, [])
})

t.test('the model inside the workers costs nothing', async (t) => {
  const key = await limited({ models: ['use-lite-en'], budget: { currency: 'USD', monthly: unit } })
  const body = { model: 'use-lite-en', input: 'How long do refunds take?' }
  t.equal((await ingress.ask('POST /v1/ai/embeddings', { key: key.secret, body })).status, 200)
  t.same(await costs(`?key_id=${key.id}`), [])
  const { data } = (await ingress.ask('GET /v1/ai/models', { key: key.secret })).body
  t.same(
    data.map(({ id }: { id: string }) => id),
    ['use-lite-en'],
  )
})
