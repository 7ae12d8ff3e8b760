import OpenAI from 'openai'
import t from 'tap'
import { z } from 'zod'
import * as embeddings from '#sql/ai/embeddings.ts'
import { sql } from '#sql/db.ts'
import { testOrg } from '../support/ingress.ts'
import { beginStream, json, sendPiece, vectorFor } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { db, ingress, ask, sdk, sdkOf, newKey, main, backup, renew, orgId } = await gatewayStack(t)
t.beforeEach(() => renew())

const messages = [{ role: 'user' as const, content: 'a bird' }]
const secret = 'words of the upstream'
/** Returns the error of a rejected promise. */
const failure = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error,
  )
const rows = () => db.oneFirst(sql.typeAlias('count')`select count(*) from ai.completions`)
const outcomes = async (operation: string) =>
  Object.fromEntries(
    (
      await db.any(sql.type(z.object({ outcome: z.string(), tokens: z.number() }))`
        select outcome, sum(prompt_tokens + completion_tokens)::float8 as tokens from ai.usage
        where org_id = ${orgId} and operation = ${operation} group by outcome`)
    ).map(({ outcome, tokens }) => [outcome, tokens]),
  )

t.test('OpenAI’s SDK has an answer, tools and JSON by a schema, given the base URL alone', async (t) => {
  const plain = await sdk.chat.completions.create({ model: 'gpt-4o', messages, temperature: 0.5, user: 'u1' })
  t.match(plain, {
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: 'You said: a bird' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
  })
  t.match(main.asked[0], {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key of main' },
    body: { model: 'the-model', messages, temperature: 0.5, stream: false, user: 'u1' },
  })
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }]
  const called = await sdk.chat.completions.create({ model: 'default', messages, tools, tool_choice: 'auto' })
  const [call] = called.choices[0]?.message.tool_calls ?? []
  t.match(
    [called.model, call],
    ['the-model', { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Rīga"}' } }],
  )
  t.same(main.asked[1]?.body.tools, tools, 'what is asked is passed on as it is')
  const answered = await sdk.chat.completions.create({
    model: 'default',
    messages: [
      ...messages,
      { ...called.choices[0]?.message, role: 'assistant' as const },
      { role: 'tool', tool_call_id: 'call_1', content: '8 °C' },
    ],
  })
  t.equal(answered.choices[0]?.message.content, 'You said: 8 °C')
  const schema = {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  }
  const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', strict: true, schema } }
  const parsed = await sdk.chat.completions.parse({ model: 'default', messages, response_format })
  t.same(JSON.parse(parsed.choices[0]?.message.content ?? ''), { answer: 'a bird' })
  t.same(main.asked.at(-1)?.body.response_format, response_format)
  t.equal(await rows(), 0, 'what was asked and answered is forgotten once it is sent')
  t.ok(((await outcomes('completion')).done ?? 0) >= 48)
})

t.test('an answer is streamed as it comes, with its usage for those who ask for it', async (t) => {
  let held: (() => void) | undefined
  main.answer = (res) => {
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { role: 'assistant', content: 'One ' }, finish_reason: null }] })
    held = () => {
      sendPiece(res, { choices: [{ index: 0, delta: { content: 'two' }, finish_reason: 'stop' }] })
      sendPiece(res, { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })
      res.end('data: [DONE]\n\n')
    }
  }
  const stream = await sdk.chat.completions.create({ model: 'the-model', messages, stream: true })
  let said = ''
  for await (const piece of stream) {
    t.equal(piece.object, 'chat.completion.chunk')
    t.notOk(piece.usage, 'nobody has asked what it cost')
    said += piece.choices[0]?.delta.content ?? ''
    held?.()
    held = undefined
  }
  t.equal(said, 'One two', 'the first piece came while the rest was held back')
  main.answer = undefined
  const tools = [{ type: 'function' as const, function: { name: 'weather' } }]
  const options = { stream: true as const, stream_options: { include_usage: true } }
  const pieces = []
  for await (const piece of await sdk.chat.completions.create({ model: 'default', messages, tools, ...options })) {
    pieces.push(piece)
  }
  t.match(pieces[0]?.choices[0]?.delta.tool_calls, [{ index: 0, function: { name: 'weather' } }])
  t.match(pieces.at(-1), { choices: [], usage: { total_tokens: 12 } })
  main.answer = (res, { body }) => {
    if (body.stream_options) return json(res, { error: { message: 'stream_options: extra fields' } }, 400)
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'x'.repeat(400) }, finish_reason: 'stop' }] })
    res.end()
  }
  const last = []
  for await (const piece of await sdk.chat.completions.create({ model: 'default', messages, ...options }))
    last.push(piece)
  const written = last.at(-1)?.usage?.completion_tokens ?? 0
  t.ok(written > 90 && written < 120, `estimated where nobody told it: ${written}`)
  const raw = await ask('POST /v1/ai/chat/completions', { body: { model: 'default', messages, stream: true } })
  t.match([raw.headers.get('content-type'), raw.text], [/^text\/event-stream/, /^data: \{.*data: \[DONE\]\n\n$/s])
  t.ok(await until(async () => (await rows()) === 0))
})

t.test('the models are listed as clients look for them, and others are not found', async (t) => {
  const names = (await sdk.models.list()).data.map(({ id, owned_by }) => `${id} ${owned_by}`)
  const ofBackup = ['other-model backup', 'bge-m3 backup']
  t.same(names, ['the-model main', 'gpt-4o main', 'text-embedding-3-small main', ...ofBackup, 'use-lite-en millrace'])
  const one = await sdk.models.retrieve('other-model')
  t.match(one, { id: 'other-model', object: 'model', owned_by: 'backup', kind: 'chat' })
  for (const request of [
    () => sdk.models.retrieve('org/gpt-9'),
    () => sdk.chat.completions.create({ model: 'gpt-9', messages }),
    () => sdk.embeddings.create({ model: 'the-model', input: 'a' }),
  ]) {
    const error = await failure(request())
    t.ok(error instanceof OpenAI.NotFoundError)
    t.match(error, { status: 404, code: 'model_not_found', type: 'invalid_request_error', param: 'model' })
  }
  t.equal(main.asked.length + backup.asked.length, 0)
})

t.test('another upstream answers where the first fails, but never once a piece was told', async (t) => {
  main.answer = (res) => json(res, { error: { message: secret } }, 500)
  const answered = await sdk.chat.completions.create({ model: 'the-model', messages })
  t.equal(answered.choices[0]?.message.content, 'You said: a bird')
  t.match(backup.asked[0], { headers: { authorization: 'Bearer key of backup' }, body: { model: 'the-model' } })
  await sdk.chat.completions.create({ model: 'default', messages })
  t.equal(backup.asked[1]?.body.model, 'other-model', 'the choice is the operator’s')
  const streamed = await sdk.chat.completions.create({ model: 'default', messages, stream: true })
  let said = ''
  for await (const piece of streamed) said += piece.choices[0]?.delta.content ?? ''
  t.equal(said, 'You said: a bird')
  t.equal(main.asked.length, 3)
  await sdk.chat.completions.create({ model: 'default', messages })
  t.equal(main.asked.length, 3, 'one that has failed three times is left alone for a while')
  const shown = await ask('GET /v1/ai/models')
  t.equal(shown.status, 200)

  await renew()
  for (const die of [true, false]) {
    main.answer = (res) => {
      beginStream(res)
      sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
      if (die) res.write(`data: {"error": {"message": "${secret}"}}\n\n`)
      res.end()
    }
    const broken = await sdk.chat.completions.create({ model: 'default', messages, stream: true })
    const told: string[] = []
    const reading = async () => {
      for await (const piece of broken) told.push(piece.choices[0]?.delta.content ?? '')
    }
    const error = await failure(reading())
    t.ok(error instanceof OpenAI.APIError)
    t.match(error, { code: 'upstream_error', type: 'server_error' })
    t.notMatch(JSON.stringify(error), secret)
    t.same(told, ['It '])
  }
  t.equal(backup.asked.length, 0)
  t.ok(((await outcomes('completion')).upstream_error ?? 0) > 0, 'what it has likely cost is counted')
})

t.test('what an upstream refuses is told by the words of a program alone', async (t) => {
  const refuse = (error: object, status = 400) => {
    main.answer = (res) => json(res, { error: { message: secret, ...error } }, status)
  }
  const failing = async () => {
    const error = await failure(sdk.chat.completions.create({ model: 'the-model', messages }))
    t.notMatch(`${error?.message} ${JSON.stringify(error)}`, secret)
    return error
  }
  refuse({ param: 'tools[0].function', code: 'invalid_value' })
  t.match(await failing(), {
    status: 400,
    type: 'invalid_request_error',
    param: 'tools[0].function',
    code: 'invalid_request',
  })
  refuse({ param: `${secret} and more`, code: 12 })
  t.match(await failing(), { status: 400, param: null })
  refuse({ code: 'context_length_exceeded' })
  t.match(await failing(), { status: 400, code: 'context_length_exceeded' })
  t.equal(backup.asked.length, 0, 'another one would refuse it, too')
  refuse({}, 401)
  backup.answer = main.answer
  t.match(await failing(), { status: 502, code: 'upstream_error', type: 'server_error' })
  for (const [res, more] of [
    [{}, 'nothing'],
    [{ choices: [] }, 'no choice'],
    ['text', 'no object'],
  ] as const) {
    main.answer = (out) => json(out, res)
    backup.answer = main.answer
    t.match(await failing(), { status: 502 }, more)
  }
})

t.test('vectors are the model’s, and a text is paid for once by its organisation', async (t) => {
  const key = await newKey()
  const own = sdkOf(key)
  const model = 'text-embedding-3-small'
  const made = await own.embeddings.create({ model, input: ['one', 'two', 'one'] })
  t.match(made, { object: 'list', model, usage: { prompt_tokens: 4, total_tokens: 4 } })
  t.same(
    made.data.map(({ embedding }) => [...embedding]),
    ['one', 'two', 'one'].map(vectorFor),
  )
  t.match(main.asked[0]?.body, { model: 'bge-m3', input: ['one', 'two'] })
  const again = await own.embeddings.create({ model: 'default', input: ['three', 'two'], encoding_format: 'float' })
  t.same(
    again.data.map(({ embedding }) => embedding),
    ['three', 'two'].map(vectorFor),
  )
  t.same(main.asked[1]?.body.input, ['three'], 'what is kept is not asked for')
  const free = await own.embeddings.create({ model: 'bge-m3', input: 'two' })
  t.match([free.usage, main.asked.length], [{ prompt_tokens: 0, total_tokens: 0 }, 2])
  await sdk.embeddings.create({ model, input: 'two' })
  t.equal(main.asked.length, 3, 'another organisation has its own')
  await own.embeddings.create({ model, input: 'two', dimensions: 4 })
  await own.embeddings.create({ model, input: [[1, 2], [3]] })
  t.match(
    main.asked.slice(3).map(({ body }) => [body.input, body.dimensions]),
    [
      [['two'], 4],
      [[[1, 2], [3]], undefined],
    ],
  )
  main.answer = (res) => json(res, {}, 503)
  t.same([...((await own.embeddings.create({ model, input: 'four' })).data[0]?.embedding ?? [])], vectorFor('four'))
  t.match(backup.asked[0]?.body, { model: 'bge-m3' })
  main.answer = (res) => json(res, { data: [{ index: 0, embedding: [1, null] }] })
  backup.answer = main.answer
  t.match(await failure(own.embeddings.create({ model, input: 'six' })), { status: 502 })
})

t.test('more texts than a request of the upstream takes are sent in several', async (t) => {
  const input = Array.from({ length: 130 }, (_, n) => `text ${n}`)
  const { data } = await sdk.embeddings.create({ model: 'default', input })
  t.same(
    data.map(({ embedding }) => [...embedding]),
    input.map(vectorFor),
  )
  t.same(
    main.asked.map(({ body }) => body.input.length),
    [64, 64, 2],
  )
})

t.test('of kept vectors the oldest go; without an upstream that makes them the own model does', async (t) => {
  const { org, keys } = await testOrg(db, ['ai:invoke'])
  const own = sdkOf(keys.main)
  const made = await own.embeddings.create({ model: 'default', input: ['one', 'two'] })
  t.match(made, { model: 'bge-m3' })
  const overOf = async () => (await embeddings.listOverLimit(db, 1)).find(({ org_id }) => org_id === org.id)?.over
  t.equal(await overOf(), 1)
  t.equal(await embeddings.removeOldest(db, org.id, 1), 1)
  t.equal(await overOf(), undefined)
  for (const settings of [{ AI_EMBEDDING_MODELS: '', AI_UPSTREAMS: '[]' }, { AI_ENGINE: 'embedded' }]) {
    await renew(settings)
    const made = await own.embeddings.create({ model: 'default', input: ['one'] })
    t.match(made, { model: 'use-lite-en', language: 'en' })
    t.equal(made.data[0]?.embedding.length, 512)
  }
})

t.test('a client that goes away ends its request to the upstream, and all that was kept of it', async (t) => {
  for (const stream of [true, false]) {
    await renew()
    main.answer = (res) => {
      if (!stream) return
      beginStream(res)
      sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
    }
    const gone = new AbortController()
    const reply = fetch(`${ingress.url}/v1/ai/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await newKey()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'the-model', messages, stream }),
      signal: gone.signal,
    })
    if (stream) t.match(new TextDecoder().decode((await (await reply).body?.getReader().read())?.value), 'It ')
    else await until(() => main.asked.length === 1)
    gone.abort()
    await reply.then(
      ({ body }) => body,
      () => 'gone',
    )
    await main.asked[0]?.closed
    await until(async () => (await rows()) === 0, { what: 'it is forgotten' })
    t.equal(backup.asked.length, 0)
  }
})

t.test('a budget that is spent ends with the error that OpenAI’s clients know', async (t) => {
  const key = await newKey(['ai:invoke', 'account:read', 'account:write'])
  await ingress.ask('PUT /v1/account/budgets/ai.tokens', { key, body: { hard: 500 } })
  const own = sdkOf(key)
  const error = await failure(own.chat.completions.create({ model: 'default', messages }))
  t.ok(error instanceof OpenAI.RateLimitError)
  t.match(error, { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' })
  t.equal(main.asked.length, 0, 'the most that it may cost does not fit')
  await own.embeddings.create({ model: 'default', input: 'short' }).catch(() => {})
  const { body } = await ingress.ask('GET /v1/account/usage', { key })
  t.ok(body.data.find((one: { metric: string }) => one.metric === 'ai.tokens').used <= 500)
  const stranger = await failure(sdkOf('bt_live_none').chat.completions.create({ model: 'default', messages }))
  t.match(stranger, { status: 401, code: 'invalid_api_key', type: 'authentication_error' })
})

t.test('a repeat with the same idempotency key gets the same answer, and asks nobody', async (t) => {
  const headers = { 'idempotency-key': 'once' }
  const body = { model: 'default', messages }
  const first = await ask('POST /v1/ai/chat/completions', { headers, body })
  const second = await ask('POST /v1/ai/chat/completions', { headers, body })
  t.same([second.status, second.body], [200, first.body])
  t.equal(second.headers.get('idempotent-replayed'), 'true')
  t.equal(main.asked.length, 1)
  await db.query(sql.typeAlias('void')`delete from ai.completions`)
  const later = await ask('POST /v1/ai/chat/completions', { headers, body })
  t.match([later.status, later.body.error], [409, { code: 'conflict', type: 'invalid_request_error' }])
})

t.test('a client that reads late holds no worker, and has all of it in its order', async (t) => {
  const words = Array.from({ length: 500 }, (_, n) => `${n} ${'x'.repeat(10_000)}`)
  main.answer = (res) => {
    beginStream(res)
    for (const content of words) sendPiece(res, { choices: [{ index: 0, delta: { content }, finish_reason: null }] })
    sendPiece(res, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    res.end('data: [DONE]\n\n')
  }
  const response = await fetch(`${ingress.url}/v1/ai/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await newKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'the-model', messages, stream: true }),
  })
  const busy = sql.type(z.object({ id: z.string() }))`select id from ai.completions where status = 'pending'`
  t.ok(await until(async () => !(await db.exists(busy)), { what: 'the worker has ended' }))
  const pieces = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: {'))
  const said = pieces.map((line) => JSON.parse(line.slice(6)).choices[0].delta.content ?? '')
  t.equal(said.join(''), words.join(''))
})

t.test('an answer without end is bounded, and so is an event of it', async (t) => {
  for (const end of ['\n', '\n\n']) {
    await renew()
    main.answer = (res) => {
      beginStream(res)
      sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
      const piece = `${':'.repeat(64 * 1024)}${end}`
      const more = () => {
        while (!res.destroyed && res.write(piece));
        if (!res.destroyed) res.once('drain', more)
      }
      more()
    }
    const raw = await ask('POST /v1/ai/chat/completions', { body: { model: 'the-model', messages, stream: true } })
    t.match(raw.text, /"content":"It ".*"code":"upstream_error"[^\n]*\n\n$/s)
  }
})

t.test('the page shows whether upstreams answer, and no secret; without one it says so', async (t) => {
  const { signedIn, get } = await import('../app/fixture.ts')
  const viewer = await signedIn(db, ingress.url, orgId, 'viewer')
  await sdk.chat.completions.create({ model: 'default', messages })
  const { text } = await get(ingress.url, '/app/models', viewer)
  t.match(text, /main.*the-model, gpt-4o.*backup.*This month.*completion/s)
  t.notMatch(text, /key of|127\.0\.0\.1:\d+\/v1/)
  t.notMatch(text, /Last failure/, 'what all organisations ask together is the operators’ to see')
  await renew({ AI_ENGINE: 'embedded' })
  t.match((await get(ingress.url, '/app/models', viewer)).text, 'No upstream model is connected')
  t.match((await sdk.models.list()).data, [{ id: 'use-lite-en', owned_by: 'millrace', language: 'en' }])
  for (const request of [
    () => sdk.chat.completions.create({ model: 'default', messages }),
    () => sdk.chat.completions.create({ model: 'default', messages, stream: true }),
  ]) {
    const told = { status: 503, code: 'not_configured', type: 'server_error', message: /No model is connected/ }
    t.match(await failure(request()), told)
  }
})
