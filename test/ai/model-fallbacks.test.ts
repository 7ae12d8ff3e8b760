import type { ServerResponse } from 'node:http'
import t from 'tap'
import { parseFallbacks, readFallbacks } from '#lib/config/ai-fallbacks.ts'
import { readConfig } from '#lib/config.ts'
import { beginStream, fault, json, sendPiece } from '../support/model-server.ts'
import { moneyStack, unit } from './money-stack.ts'

t.setTimeout(240_000)
const { admin, ingress, main, backup, renew, limited, setPrice, costs } = await moneyStack(t)
t.beforeEach(() => renew())
await setPrice('the-model')
await setPrice('other-model', { input: unit, output: unit })

const path = 'POST /v1/ai/chat/completions'
const messages = [{ role: 'user', content: 'a bird' }]
const call = (more: object, key?: string) => {
  const body = { model: 'gpt-4o', messages, ...more }
  return key ? ingress.ask(path, { key, body }) : admin(path, { body })
}
const models = () => [...main.asked, ...backup.asked].map(({ body }) => body.model)

/** Fails each request for `the-model` on both servers, and answers others. */
function failing(fail: (res: ServerResponse) => void): void {
  main.answer = backup.answer = (res, { body }) => {
    if (body.model === 'the-model') return fail(res)
    const usage = { prompt_tokens: 100, completion_tokens: 10 }
    if (!body.stream)
      return json(res, { choices: [{ message: { content: 'fallback' }, finish_reason: 'stop' }], usage })
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'fallback' }, finish_reason: 'stop' }] })
    res.end('data: [DONE]\n\n')
  }
}

const tooLong = (res: ServerResponse) => json(res, fault('too long', { code: 'context_length_exceeded' }), 400)
const faults = {
  rate_limited: (res: ServerResponse) => json(res, fault('slow down'), 429),
  context_length: tooLong,
  content_filter: (res: ServerResponse) => json(res, fault('no', { code: 'content_filter' }), 400),
  timeout: (res: ServerResponse) => json(res, fault('late'), 504),
  unavailable: (res: ServerResponse) => json(res, fault('broken'), 500),
}

for (const [reason, fail] of Object.entries(faults)) {
  t.test(`${reason}: only a fallback for it is used`, async (t) => {
    const others = Object.keys(faults).filter((name) => name !== reason)
    for (const stream of [false, true]) {
      await renew()
      failing(fail)
      const none = await call({ stream, fallbacks: [{ model: 'other-model', on: others }] })
      t.not(none.status, 200)
      t.notOk(models().includes('other-model'))
      await renew()
      failing(fail)
      const reply = await call({ stream, fallbacks: [{ model: 'other-model', on: [reason] }] })
      t.equal(reply.status, 200)
      if (stream) t.match(reply.text, /"model":"other-model"/)
      else t.match(reply.body, { model: 'other-model', choices: [{ message: { content: 'fallback' } }] })
      t.ok(
        [...main.asked, ...backup.asked].every(({ body }) => !('fallbacks' in body)),
        'not forwarded',
      )
    }
  })
}

t.test('a silent server is a timeout', async (t) => {
  await renew({ AI_TIMEOUT_MS: '1500' })
  failing(() => {})
  const reply = await call({ fallbacks: [{ model: 'other-model', on: ['timeout'] }] })
  t.equal(reply.body.model, 'other-model')
})

t.test('an answer that was filtered is paid for, and the next model answers', async (t) => {
  const key = await limited(null)
  failing((res) => {
    const usage = { prompt_tokens: 9, completion_tokens: 3 }
    json(res, { choices: [{ message: { content: '' }, finish_reason: 'content_filter' }], usage })
  })
  const reply = await call({ fallbacks: [{ model: 'other-model', on: ['content_filter'] }] }, key.secret)
  t.equal(reply.body.model, 'other-model')
  t.match(await costs(`?key_id=${key.id}`), [
    { name: 'other-model', cost: '0.00011', requests: 1 },
    { name: 'the-model', cost: '0.000048', requests: 1 },
  ])
  const without = await call({}, key.secret)
  t.match(without.body.choices, [{ finish_reason: 'content_filter' }], 'unchanged without a fallback')
})

t.test('no other model continues an answer whose first part was sent', async (t) => {
  failing((res) => {
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'One ' }, finish_reason: null }] })
    res.end()
  })
  const { text } = await call({ stream: true, fallbacks: ['other-model'] })
  t.match(text, /One .*"error"/s)
  t.same(models(), ['the-model'])
})

t.test('several models are tried in order, and the last failure is returned', async (t) => {
  main.answer = backup.answer = tooLong
  const reply = await call({ fallbacks: ['the-model', 'other-model'] })
  t.match(reply, { status: 400, body: { error: { code: 'context_length_exceeded' } } })
  t.same(models(), ['the-model', 'the-model', 'other-model'])
})

t.test('an invalid request is not repeated', async (t) => {
  failing((res) => json(res, fault('bad', { code: 'unsupported_value', param: 'tools[0].x' }), 400))
  const reply = await call({ fallbacks: [{ model: 'other-model', on: Object.keys(faults) }] })
  t.match(reply, { status: 400, body: { error: { param: 'tools[0].x' } } })
  t.notOk(models().includes('other-model'))
})

t.test('a model that the key cannot use, or without a price, is not used as a fallback', async (t) => {
  const key = await limited({ models: ['gpt-4o'] })
  failing(faults.unavailable)
  t.equal((await call({ fallbacks: ['other-model'] }, key.secret)).status, 502)
  t.notOk(models().includes('other-model'))
  await renew()
  await setPrice('other-model', { currency: null, input: null, output: null })
  failing(faults.unavailable)
  const budget = await limited({ budget: { currency: 'USD', monthly: unit } })
  t.equal((await call({ fallbacks: ['other-model'] }, budget.secret)).status, 502)
  t.notOk(models().includes('other-model'))
})

t.test('the organisation’s fallbacks apply to requests without their own', async (t) => {
  await admin('PUT /v1/ai/settings', { body: { fallbacks: { 'gpt-4o': ['other-model'] } } })
  failing(faults.unavailable)
  t.equal((await call({})).body.model, 'other-model')
  for (const own of [{ fallbacks: [] }, { model: 'the-model' }]) {
    await renew()
    failing(faults.unavailable)
    t.equal((await call(own)).status, 502)
  }
  await renew()
  for (const model of ['constructor', '__proto__', 'toString']) t.equal((await call({ model })).status, 404, model)
  await admin('PUT /v1/ai/settings', { body: {} })
})

t.test('the operator’s fallbacks are read from the settings', async (t) => {
  const { AI_FALLBACKS } = readConfig({ AI_FALLBACKS: '{"a": ["b", {"model": "c", "on": ["timeout"]}]}' })
  t.match(readFallbacks(parseFallbacks(AI_FALLBACKS).a ?? []), [
    { model: 'b', on: ['rate_limited', 'context_length', 'timeout', 'unavailable'] },
    { model: 'c', on: ['timeout'] },
  ])
  for (const wrong of ['x', '[]', '{"a": "b"}', '{"a": [{"model": "b", "on": ["x"]}]}'])
    t.throws(() => readConfig({ AI_FALLBACKS: wrong }), /AI_FALLBACKS/)
})

t.test('wrong fallbacks are rejected with the field', async (t) => {
  const wrong = [
    ...['x', {}, [1], [''], [{}]],
    [{ model: 'b', on: 'timeout' }],
    [{ model: 'b', url: 'x' }],
    ['a', 'b', 'c', 'd', 'e'],
  ]
  for (const fallbacks of wrong) {
    const { status, body } = await call({ fallbacks })
    t.equal(status, 400, JSON.stringify(fallbacks))
    t.match(body.error.details[0].field, /^body\.fallbacks/)
  }
})
