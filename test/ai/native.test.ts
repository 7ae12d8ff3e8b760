import type { ServerResponse } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { beginStream, fault, json, type ModelRequest } from '../support/model-server.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { db, ingress, key, orgId, ask, sdk, main, backup, renew } = await gatewayStack(t)
const client = new Anthropic({ baseURL: `${ingress.url}/v1/ai/anthropic`, apiKey: key, maxRetries: 0 })
const upstreams = (more: object) =>
  JSON.stringify([{ name: 'backup', base_url: backup.url, models: ['other-model', 'the-model'], ...more }])

/** The first server has all APIs. The second one has only the Messages API and expects its key in `x-api-key`. */
const native = {
  AI_SPEAKS: 'chat,responses,messages',
  AI_UPSTREAMS: upstreams({ speaks: ['messages'], key_header: 'x-api-key' }),
}
t.beforeEach(() => renew(native))

const secret = 'words of the upstream'
const output = [
  { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'A wren.' }] },
]
const response = { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'real', output }
const event = (res: ServerResponse, data: { type: string; [field: string]: unknown }) =>
  res.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
const usageOf = async (operation: string) => {
  const { p, c } = await db.one(sql.type(z.object({ p: z.number(), c: z.number() }))`
    select coalesce(sum(prompt_tokens), 0)::float8 as p, coalesce(sum(completion_tokens), 0)::float8 as c from ai.usage
    where org_id = ${orgId} and operation = ${operation}`)
  return [p, c] as const
}

t.test('a server with the Responses API receives the request as it is, and stores nothing', async (t) => {
  const reported = { input_tokens: 7, output_tokens: 5, total_tokens: 12 }
  main.answer = (res, { body }) => {
    if (!body.stream) return json(res, { ...response, store: true, usage: reported, extra: 'kept' })
    beginStream(res)
    event(res, { type: 'response.created', response: { ...response, output: [] } })
    event(res, { type: 'response.output_text.delta', delta: 'A wren.', item_id: 'msg_1' })
    event(res, { type: 'response.completed', response: { ...response, usage: reported } })
    res.end()
  }
  const before = await usageOf('completion')
  const asked = {
    model: 'gpt-4o',
    input: [
      { type: 'reasoning' as const, id: 'rs_1', summary: [] },
      { role: 'user' as const, content: 'a bird' },
    ],
    reasoning: { effort: 'low' as const, summary: 'auto' as const },
    metadata: { team: 'a' },
  }
  const whole = await sdk.responses.create(asked)
  t.match(whole, { model: 'gpt-4o', store: false, output_text: 'A wren.', extra: 'kept', metadata: { team: 'a' } })
  const { metadata: _, ...rest } = asked
  t.match(main.asked[0], { path: '/v1/responses', body: { ...rest, model: 'the-model', store: false } })
  t.notOk(main.asked[0]?.body.metadata, 'proxies would read it')
  const types = []
  for await (const one of await sdk.responses.create({ ...asked, stream: true })) types.push(one.type)
  t.same(types, ['response.created', 'response.output_text.delta', 'response.completed'])
  const after = await usageOf('completion')
  t.same([after[0] - before[0], after[1] - before[1]], [14, 10])
})

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'real', stop_reason: 'end_turn' }
const content = [{ type: 'text', text: 'A wren.' }]
const asked = { model: 'default', max_tokens: 100, messages: [{ role: 'user' as const, content: 'a bird' }] }

t.test('a server with the Messages API receives the request as it is, with its own key', async (t) => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 1, output_tokens: 1 }
  const answer = (res: ServerResponse, { body }: ModelRequest) => {
    if (!body.stream)
      return json(res, { ...message, content, stop_sequence: null, usage: { ...usage, output_tokens: 6 } })
    beginStream(res)
    event(res, { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } })
    event(res, { type: 'ping' })
    event(res, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
    event(res, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A wren.' } })
    event(res, { type: 'content_block_stop', index: 0 })
    event(res, { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 6 } })
    event(res, { type: 'message_stop' })
    res.end()
  }
  main.answer = answer
  backup.answer = answer
  const before = await usageOf('completion')
  const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
  const whole = await client.messages.create({ ...asked, max_tokens: 2_000, thinking })
  t.match(whole, { model: 'the-model', content })
  t.match(main.asked[0], {
    path: '/v1/messages',
    headers: { authorization: 'Bearer key of main', 'anthropic-version': '2023-06-01' },
    body: { ...asked, model: 'the-model', max_tokens: 2_000, thinking },
  })
  t.match(await client.messages.stream(asked).finalMessage(), { content, usage: { output_tokens: 6 } })
  const after = await usageOf('completion')
  t.same([after[0] - before[0], after[1] - before[1]], [16, 12], 'cached input counts')
  main.answer = (res) => json(res, fault(secret), 500)
  t.match(await client.messages.create(asked), { model: 'other-model' })
  t.match(backup.asked[0], { headers: { 'x-api-key': 'key of backup' } })
  t.notOk(backup.asked[0]?.headers.authorization)
  const chat = await ask('POST /v1/ai/chat/completions', { body: { model: 'default', messages: asked.messages } })
  t.equal(chat.status, 502, 'a server without chat completions receives none')
  t.equal(backup.asked.length, 1)
})

t.test('a request that one server cannot be asked goes to the next one that can', async (t) => {
  await renew({ AI_UPSTREAMS: upstreams({ speaks: ['chat', 'responses'] }) })
  backup.answer = (res) => json(res, { ...response, usage: null })
  const body = { model: 'the-model', input: 'a bird', reasoning: { summary: 'auto' } }
  const reply = await ask('POST /v1/ai/responses', { body })
  t.match([reply.status, reply.body.output], [200, output])
  t.equal(main.asked.length, 0)
  await renew()
  const refused = await ask('POST /v1/ai/responses', { body })
  t.match(
    [refused.status, refused.body.error],
    [400, { code: 'invalid_request', param: 'reasoning.summary', message: /reasoning\.summary/ }],
  )
})

t.test('what a server says of its failure is told to nobody', async (t) => {
  const breaks: [string, (res: ServerResponse) => void][] = [
    ['an error event', (res) => event(res, { type: 'error', error: { type: 'overloaded_error', message: secret } })],
    ['an event of the Responses API', (res) => event(res, { type: 'error', code: 'x', message: secret, param: null })],
    ['a failed response', (res) => event(res, { type: 'response.failed', response: { error: { message: secret } } })],
    ['an event without a type', (res) => res.write(`data: ${JSON.stringify({ text: secret })}\n\n`)],
    ['no JSON', (res) => res.write(`data: ${secret}\n\n`)],
    ['nothing', () => {}],
  ]
  for (const [name, fail] of breaks) {
    for (const begun of [true, false]) {
      await renew(native)
      main.answer = (res, { path }) => {
        beginStream(res)
        const start = path.endsWith('/responses')
          ? { type: 'response.created', response }
          : { type: 'message_start', message }
        if (begun) event(res, start)
        fail(res)
        res.end()
      }
      backup.answer = (res) => json(res, fault(secret), 500)
      for (const [path, body] of [
        ['responses', { model: 'gpt-4o', input: 'a bird', stream: true }],
        ['messages', { ...asked, stream: true }],
      ] as const) {
        const { status, text } = await ask(`POST /v1/ai/${path}`, { body })
        t.equal(status, begun ? 200 : 502, `${name}, ${path}`)
        t.notMatch(text, secret)
        if (begun) t.match(text, /event: error\ndata: \{"type":"error".*"upstream_error".*\n\n$/s, `${name}, ${path}`)
      }
    }
  }
})

t.test('answers that make no sense are failures of the server', async (t) => {
  for (const body of [{}, [], 'text', null, { output: 'text' }, { content: 'text' }, { choices: [] }]) {
    await renew(native)
    Object.assign(main, { answer: (res: ServerResponse) => json(res, body) })
    Object.assign(backup, { answer: (res: ServerResponse) => json(res, body) })
    for (const [path, given] of [
      ['responses', { model: 'gpt-4o', input: 'a bird' }],
      ['messages', asked],
    ] as const) {
      const reply = await ask(`POST /v1/ai/${path}`, { body: given })
      t.equal(reply.status, 502, `${path} ${JSON.stringify(body)}`)
    }
  }
})
