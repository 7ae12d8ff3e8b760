import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { trimReplies } from '#tasks/ai/trim-replies.ts'
import { beginStream, json, sendPiece } from '../support/model-server.ts'
import { moneyStack } from './money-stack.ts'

t.setTimeout(240_000)
const { db, orgId, ingress, admin, main, backup, renew, limited, setPrice, costs, newKey, sdk } = await moneyStack(t)
t.beforeEach(() => renew())
await setPrice('the-model')

const path = 'POST /v1/ai/chat/completions'
const headers = { 'millrace-cache': '60' }
let count = 0
/** Returns a body that no other test has sent. */
const fresh = (more: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content: `bird ${count++}` }],
  ...more,
})
const call = (body: object, { key, ...more }: { key?: string; headers?: Record<string, string> } = {}) =>
  key ? ingress.ask(path, { key, body, headers, ...more }) : admin(path, { body, headers, ...more })
const cacheOf = ({ headers: given }: { headers: Headers }) => given.get('millrace-cache')
const rows = () => db.oneFirst(sql.typeAlias('count')`select count(*) from ai.replies where org_id = ${orgId}`)

t.test('an exact repeat is returned from the cache and costs nothing', async (t) => {
  const body = fresh({ temperature: 0.1, seed: 1 })
  const key = await limited(null)
  const first = await call(body, { key: key.secret })
  t.equal(cacheOf(first), 'miss')
  const { temperature, ...reordered } = { ...body, temperature: 0.1 }
  const again = await call({ temperature, ...reordered, metadata: { a: 'b' } }, { key: key.secret })
  t.equal(cacheOf(again), 'hit')
  t.ok(Number(again.headers.get('age')) >= 0)
  t.same(again.body, first.body)
  t.equal(main.asked.length, 1)
  t.match(await costs(`?by=none&key_id=${key.id}`), [
    { currency: 'USD', cost: '0.000048', requests: 1, cached: 0 },
    { currency: null, cost: '0', requests: 1, cached: 1 },
  ])
  for (const other of [
    { ...body, temperature: 0.2 },
    { ...body, seed: 2 },
    { ...body, model: 'the-model' },
  ])
    t.equal(cacheOf(await call(other)), 'miss')
  t.equal(cacheOf(await call(body, { headers: {} })), null, 'not without the header')
  t.equal(cacheOf(await call(body, { headers: { 'millrace-cache': '0' } })), null)
  const stored = await db.anyFirst(sql.type(z.object({ sealed: z.string() }))`select sealed from ai.replies`)
  t.ok(stored.length > 0 && stored.every((text) => !text.includes('bird')), 'encrypted')
})

t.test('a stream is returned as a stream, also by the SDK', async (t) => {
  const body = fresh({ stream: true, stream_options: { include_usage: true } })
  const first = await call(body)
  const again = await call(body)
  t.same([cacheOf(first), cacheOf(again)], ['miss', 'hit'])
  t.equal(again.text, first.text)
  t.match(again.headers.get('content-type'), /^text\/event-stream/)
  t.equal(main.asked.length, 1)
  const given = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'twice' }], stream: true as const }
  for (const _ of [1, 2]) {
    let said = ''
    const parts = await sdk.chat.completions.create(given, { headers })
    for await (const part of parts) said += part.choices[0]?.delta.content ?? ''
    t.equal(said, 'You said: twice')
  }
  t.equal(main.asked.length, 2)
})

t.test('another organisation never gets the response', async (t) => {
  const body = fresh()
  await call(body)
  t.equal(cacheOf(await call(body, { key: await newKey() })), 'miss')
  t.equal(main.asked.length, 2)
})

t.test('a key that cannot use the model gets no cached response, and one without budget gets it', async (t) => {
  const body = fresh()
  await call(body)
  const key = await limited({ models: ['gpt-4o'], budget: { currency: 'USD', monthly: 0 } })
  t.equal(cacheOf(await call(body, { key: key.secret })), 'hit')
  await admin(`PATCH /v1/account/keys/${key.id}`, { body: { ai: { models: ['the-model'] } } })
  t.match(await call(body, { key: key.secret }), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  const withFallback = fresh({ model: 'default', fallbacks: ['gpt-4o'] })
  backup.answer = (res) => json(res, {}, 500)
  let calls = 0
  main.answer = (res) =>
    calls++ === 0 ? json(res, {}, 500) : json(res, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] })
  t.equal((await call(withFallback)).body.model, 'gpt-4o')
  t.equal(cacheOf(await call(withFallback)), 'hit')
  await renew()
  main.answer = backup.answer = (res) => json(res, {}, 500)
  const first = await limited({ models: ['default'] })
  const refused = await call(withFallback, { key: first.secret })
  t.same([refused.status, cacheOf(refused)], [502, 'miss'], 'the model that responded is not allowed')
})

t.test('failures, tool calls, and responses that were cut off or filtered are not cached', async (t) => {
  const tools = [{ type: 'function', function: { name: 'weather' } }]
  const before = await rows()
  await call(fresh({ tools }))
  await call(fresh({ tools, stream: true }))
  for (const reason of ['length', 'content_filter']) {
    main.answer = (res) => json(res, { choices: [{ message: { content: 'x' }, finish_reason: reason }] })
    t.equal((await call(fresh())).status, 200)
  }
  main.answer = (res) => {
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'One ' }, finish_reason: null }] })
    res.end()
  }
  t.match((await call(fresh({ stream: true }))).text, /"error"/)
  main.answer = backup.answer = (res) => json(res, {}, 500)
  t.equal((await call(fresh())).status, 502)
  t.equal(await rows(), before)
})

t.test('long requests and responses are not cached', async (t) => {
  const before = await rows()
  const long = fresh({ messages: [{ role: 'user', content: 'x'.repeat(300_000) }] })
  t.equal(cacheOf(await call(long)), 'bypass')
  main.answer = (res) => json(res, { choices: [{ message: { content: 'y'.repeat(300_000) }, finish_reason: 'stop' }] })
  t.equal(cacheOf(await call(fresh())), 'miss')
  t.equal(await rows(), before)
})

t.test('the organisation can cache all its requests, and delete the cache', async (t) => {
  const put = await admin('PUT /v1/ai/settings', { body: { cache_seconds: 60 } })
  t.match(put, { status: 200, body: { cache_seconds: 60, fallbacks: {} } })
  const body = fresh()
  t.same([cacheOf(await call(body, { headers: {} })), cacheOf(await call(body, { headers: {} }))], ['miss', 'hit'])
  const { deleted } = (await admin('DELETE /v1/ai/cache')).body
  t.ok(deleted > 0)
  t.equal(await rows(), 0)
  t.equal(cacheOf(await call(body)), 'miss')
  await admin('PUT /v1/ai/settings', { body: {} })
  t.match((await admin('GET /v1/ai/settings')).body, { cache_seconds: null })
})

t.test('a repeat with an idempotency key does not cache an old response again', async (t) => {
  const body = fresh()
  const given = { headers: { ...headers, 'idempotency-key': 'old' } }
  t.equal(cacheOf(await call(body, given)), 'miss')
  await admin('DELETE /v1/ai/cache')
  await db.query(sql.typeAlias('void')`update ai.completions set created_at = now() - interval '1 hour'`)
  t.match(await call(body, given), { status: 200, body: { object: 'chat.completion' } })
  t.equal(main.asked.length, 1)
  t.equal(await rows(), 0)
})

t.test('responses expire, and the oldest ones above the limit are deleted', async (t) => {
  const body = fresh()
  await call(body)
  await db.query(sql.typeAlias('void')`update ai.replies set expires_at = now()`)
  t.equal(cacheOf(await call(body)), 'miss')
  for (let i = 0; i < 3; i++) await call(fresh())
  const tools = { db, signal: new AbortController().signal } as unknown as Parameters<typeof trimReplies.run>[1]
  await trimReplies.run({ most: 2 }, tools)
  t.equal(await rows(), 2)
})

t.test('a repeated idempotency key returns the cached response, or 409 if it is gone', async (t) => {
  const body = fresh()
  await call(body)
  const again = () => call(body, { headers: { ...headers, 'idempotency-key': 'the same' } })
  t.equal(cacheOf(await again()), 'hit')
  t.equal(cacheOf(await again()), 'hit')
  await admin('DELETE /v1/ai/cache')
  t.equal((await again()).status, 409)
  t.equal(main.asked.length, 1)
})

t.test('wrong headers and settings are rejected', async (t) => {
  for (const value of ['-1', '604801', 'yes', '1.5', '1e3', '60 s'])
    t.match(await call(fresh(), { headers: { 'millrace-cache': value } }), { status: 400 }, value)
  for (const body of [
    { cache_seconds: 0 },
    { cache_seconds: 604_801 },
    { cache_seconds: '60' },
    { cache_seconds: 1.5 },
    { fallbacks: [] },
    { fallbacks: { a: 'b' } },
    { fallbacks: { a: [''] } },
    { fallbacks: { a: [{ model: 'b', on: ['x'] }] } },
    { fallbacks: { a: [{ model: 'b', on: [] }] } },
    { fallbacks: { a: ['b', 'c', 'd', 'e', 'f'] } },
    { fallbacks: { a: [{ model: 'b', api_base: 'http://x' }] } },
    { unknown: 1 },
  ])
    t.equal((await admin('PUT /v1/ai/settings', { body })).status, 400, JSON.stringify(body))
  t.equal(main.asked.length, 0)
})
