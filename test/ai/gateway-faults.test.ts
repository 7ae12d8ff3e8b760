import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type OpenAI from 'openai'
import t from 'tap'
import { z } from 'zod'
import { readConfig } from '#lib/config.ts'
import * as kept from '#sql/ai/embeddings.ts'
import { sql } from '#sql/db.ts'
import { decodeVector, encodeVector, hashInput } from '#tasks/ai/rules/digest.ts'
import { openCompletionStream } from '../../ingress/ai/completion-stream.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { beginStream, json, sendPiece } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { db, ingress, key, orgId, ask, sdk, sdkOf, main, backup } = await gatewayStack(t)

const messages = [{ role: 'user' as const, content: 'a' }]
const tool = (more: object) => [{ type: 'function', function: { name: 'f', ...more } }]
const image = (url: string) => [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]

const file = (more: object) => [
  { role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,YQ==', ...more } }] },
]
const filePath = 'body.messages.0.content.0.file'
const seventeen = Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])

/** Invalid bodies with their invalid fields. A model is added by default. */
const completions: [string, Record<string, unknown>, string[]][] = [
  ['no message', {}, ['body.messages']],
  ['messages that are a text', { messages: 'a' }, ['body.messages']],
  ['an empty list', { messages: [] }, ['body.messages']],
  ['no model', { messages, model: undefined }, ['body.model']],
  ['an empty model', { messages, model: '' }, ['body.model']],
  ['a model that is a number', { messages, model: 1 }, ['body.model']],
  ['a long model', { messages, model: 'x'.repeat(201) }, ['body.model']],
  ['a message that is null', { messages: [null] }, ['body.messages.0']],
  ['a role of nobody', { messages: [{ role: 'narrator', content: 'a' }] }, ['body.messages.0.role']],
  ['no role', { messages: [{ content: 'a' }] }, ['body.messages.0.role']],
  ['a message without content', { messages: [{ role: 'user' }] }, ['body.messages.0.content']],
  ['content that is a number', { messages: [{ role: 'user', content: 1 }] }, ['body.messages.0.content']],
  ['no part', { messages: [{ role: 'user', content: [] }] }, ['body.messages.0.content']],
  ['a part of no kind', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] }, ['body.messages.0.content']],
  ['a picture by address', { messages: image('https://10.0.0.1/a.png') }, ['body.messages.0.content.0.image_url.url']],
  [
    'a picture that is a page',
    { messages: image('data:text/html;base64,YQ==') },
    ['body.messages.0.content.0.image_url.url'],
  ],
  ['an answer with nothing', { messages: [{ role: 'assistant' }] }, ['body.messages.0.content']],
  ['a tool without its call', { messages: [{ role: 'tool', content: 'a' }] }, ['body.messages.0.tool_call_id']],
  ['a field of no message', { messages: [{ role: 'user', content: 'a', colour: 1 }] }, ['body.messages.0.colour']],
  ['a name with a space', { messages: [{ role: 'user', content: 'a', name: 'a b' }] }, ['body.messages.0.name']],
  ['an unknown parameter', { messages, temprature: 1 }, ['body.temprature']],
  ['a hot temperature', { messages, temperature: 2.1 }, ['body.temperature']],
  ['a temperature in words', { messages, temperature: 'hot' }, ['body.temperature']],
  ['a negative top_p', { messages, top_p: -1 }, ['body.top_p']],
  ['no token', { messages, max_tokens: 0 }, ['body.max_tokens']],
  ['half a token', { messages, max_completion_tokens: 1.5 }, ['body.max_completion_tokens']],
  ['two limits', { messages, max_tokens: 1, max_completion_tokens: 1 }, ['body.max_tokens']],
  ['too many answers', { messages, n: 129 }, ['body.n']],
  ['a penalty', { messages, presence_penalty: 3 }, ['body.presence_penalty']],
  ['a bias in words', { messages, logit_bias: { a: 'b' } }, ['body.logit_bias.a']],
  ['probabilities of none', { messages, top_logprobs: 2 }, ['body.top_logprobs']],
  ['a stream in words', { messages, stream: 'yes' }, ['body.stream']],
  ['options of no stream', { messages, stream_options: { include_usage: true } }, ['body.stream_options']],
  ['an unknown option', { messages, stream: true, stream_options: { a: 1 } }, ['body.stream_options.a']],
  ['an empty stop', { messages, stop: '' }, ['body.stop']],
  ['a tool of no kind', { messages, tools: [{ type: 'hammer' }] }, ['body.tools.0.type']],
  ['a tool without a name', { messages, tools: [{ type: 'function', function: {} }] }, ['body.tools.0.function.name']],
  ['parameters in words', { messages, tools: tool({ parameters: 'all' }) }, ['body.tools.0.function.parameters']],
  ['a choice of no tools', { messages, tool_choice: 'required' }, ['body.tool_choice']],
  ['a choice of nothing', { messages, tools: tool({}), tool_choice: 'maybe' }, ['body.tool_choice']],
  ['a format of none', { messages, response_format: { type: 'xml' } }, ['body.response_format.type']],
  ['no schema', { messages, response_format: { type: 'json_schema' } }, ['body.response_format.json_schema']],
  ['a choice among none', { messages, tools: [], tool_choice: 'required' }, ['body.tool_choice']],
  ['sight', { messages, modalities: ['video'] }, ['body.modalities.0']],
  ['a search', { messages, web_search_options: {} }, ['body.web_search_options']],
  ['another server', { messages, api_base: 'https://a.example' }, ['body.api_base']],
  ['a file of the operator’s account', { messages: file({ file_id: 'file-1' }) }, [`${filePath}.file_id`]],
  ['much metadata', { messages, metadata: Object.fromEntries(seventeen) }, ['body.metadata']],
  ['metadata in numbers', { messages, metadata: { a: 1 } }, ['body.metadata.a']],
  ['an effort', { messages, reasoning_effort: 'heroic' }, ['body.reasoning_effort']],
  ['several at once', { messages: [], n: 0, seed: 'a' }, ['body.messages', 'body.n', 'body.seed']],
]

const embeddings: [string, Record<string, unknown>, string[]][] = [
  ['no input', {}, ['body.input']],
  ['an empty text', { input: '' }, ['body.input']],
  ['no text', { input: [] }, ['body.input']],
  ['an empty text among others', { input: ['a', ''] }, ['body.input.1']],
  ['too many', { input: Array(257).fill('a') }, ['body.input']],
  ['texts and tokens', { input: ['a', [1]] }, ['body.input']],
  ['a negative token', { input: [-1] }, ['body.input.0']],
  ['no model', { input: 'a', model: undefined }, ['body.model']],
  ['an unknown format', { input: 'a', encoding_format: 'hex' }, ['body.encoding_format']],
  ['no dimension', { input: 'a', dimensions: 0 }, ['body.dimensions']],
  ['an unknown parameter', { input: 'a', truncate: true }, ['body.truncate']],
]

t.test('what cannot be asked is refused with every field named, and nothing of it leaves', async (t) => {
  const cases = [
    ...completions.map((one) => ['chat/completions', ...one] as const),
    ...embeddings.map((one) => ['embeddings', ...one] as const),
  ]
  for (const [path, name, body, fields] of cases) {
    const reply = await ask(`POST /v1/ai/${path}`, { body: { model: 'default', ...body } })
    t.match([reply.status, reply.body.error], [400, { code: 'bad_request', type: 'invalid_request_error' }], name)
    t.same(fieldsOf(reply), fields, name)
    t.equal(reply.body.error.param, reply.body.error.details[0].field.replace('body.', ''), name)
  }
  for (const raw of ['', '{', '[]', '"a"', 'null']) {
    const reply = await ask('POST /v1/ai/chat/completions', { raw, headers: { 'content-type': 'application/json' } })
    t.match([reply.status, reply.body.error], [400, { type: 'invalid_request_error', message: String }], raw)
  }
  const large = await ask('POST /v1/ai/embeddings', { body: { model: 'default', input: 'a'.repeat(1_100_000) } })
  t.match([large.status, large.body.error], [413, { type: 'invalid_request_error' }])
  t.equal(main.asked.length + backup.asked.length, 0)
})

t.test('settings of upstreams that make no sense are named at the start, without what they hold', async (t) => {
  const one = { name: 'backup', base_url: 'https://host.example/v1' }
  for (const upstreams of [
    'secret-words',
    '{}',
    '[{}]',
    JSON.stringify([{ ...one, api_key: 'secret-words' }]),
    JSON.stringify([{ ...one, name: 'main' }]),
    JSON.stringify([one, one]),
    JSON.stringify([{ ...one, base_url: 'ftp://secret-words' }]),
    JSON.stringify([{ ...one, models: ['=secret-words'] }]),
    JSON.stringify([{ ...one, models: ['default=secret-words'] }]),
  ]) {
    const read = () => readConfig({ AI_UPSTREAMS: upstreams })
    t.throws(read, /AI_UPSTREAMS/, upstreams)
    t.throws(read, { message: /^(?!.*secret-words)/s }, upstreams)
  }
  t.throws(() => readConfig({ AI_UPSTREAM_CREDENTIALS: 'secret-words' }), /AI_UPSTREAM_CREDENTIALS: must be name=key/)
  t.throws(() => readConfig({ AI_MODELS: 'a, =b' }), /AI_MODELS/)
  t.same(readConfig({ AI_MODELS: 'a=b:8b, c' }).AI_MODELS, ['a=b:8b', 'c'])
})

t.test('many kept vectors are answered as numbers, each as it was kept', async (t) => {
  const texts = Array.from({ length: 256 }, (_, i) => `kept ${i}`)
  const vector = encodeVector(Float32Array.from({ length: 1_536 }, () => Math.random() - 0.5))
  const shelf = { orgId, model: 'bge-m3', dimensions: 0 }
  await kept.add(db, shelf, new Map(texts.map((text) => [hashInput(text), vector])))
  const numbers = texts.map(() => Array.from(decodeVector(vector)))
  const res = await fetch(`${ingress.url}/v1/ai/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'default', input: texts }),
  })
  const { data, usage, model, object } = (await res.json()) as OpenAI.CreateEmbeddingResponse
  t.same(
    data.map(({ embedding }) => embedding),
    numbers,
  )
  t.match({ usage, model, object }, { usage: { total_tokens: 0 }, model: 'bge-m3', object: 'list' })
})

t.test('a stream ends when its key is revoked, and its answer is not paid for to the end', async (t) => {
  const { keys, org } = await testOrg(db, ['ai:invoke'])
  main.answer = (res) => {
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
  }
  const asked = { model: 'the-model', messages: [{ role: 'user' as const, content: 'a' }] }
  const stream = await sdkOf(keys.main).chat.completions.create({ ...asked, stream: true })
  const said: string[] = []
  const readAll = async () => {
    for await (const piece of stream) {
      said.push(piece.choices[0]?.delta.content ?? '')
      await db.query(sql.typeAlias('void')`update account.keys set revoked_at = now() where org_id = ${org.id}`)
    }
  }
  await t.rejects(readAll(), /revoked/)
  t.same(said, ['It '])
  await main.asked.at(-1)?.closed
  main.answer = undefined
})

t.test('what several answers may cost is reserved for each of them', async (t) => {
  const { keys } = await testOrg(db, ['ai:invoke', 'account:write'])
  await ask('PUT /v1/account/budgets/ai.tokens', { key: keys.main, body: { hard: 12_000 } })
  const before = main.asked.length
  const body = { model: 'the-model', messages, n: 8 }
  const many = await ask('POST /v1/ai/chat/completions', { key: keys.main, body })
  t.match([many.status, many.body.error.code], [429, 'insufficient_quota'])
  t.equal(main.asked.length, before)
})

t.test('a picture counts as one, and not by its bytes, where nobody has counted its tokens', async (t) => {
  const { keys, org } = await testOrg(db, ['ai:invoke', 'account:write'])
  await ask('PUT /v1/account/budgets/ai.tokens', { key: keys.main, body: { hard: 20_000 } })
  const body = { model: 'the-model', messages: image(`data:image/png;base64,${'A'.repeat(700_000)}`) }
  main.answer = (res) => json(res, { choices: [{ message: { content: 'A wren.' } }] })
  const { status, body: told } = await ask('POST /v1/ai/chat/completions', { key: keys.main, body })
  t.equal(status, 200)
  t.ok(told.usage.prompt_tokens >= 1_500 && told.usage.prompt_tokens < 1_600, `${told.usage.prompt_tokens}`)
  const before = main.asked.length
  main.answer = () => {}
  const gone = new AbortController()
  const asking = ask('POST /v1/ai/chat/completions', { key: keys.main, body, signal: gone.signal }).catch(() => {})
  await until(() => main.asked.length > before)
  gone.abort()
  await asking
  const brokenOff = sql.type(z.object({ read: z.number() }))`
    select prompt_tokens::float8 as read from ai.usage where org_id = ${org.id} and outcome = 'broken_off'`
  await until(async () => await db.exists(brokenOff))
  const { read } = await db.one(brokenOff)
  t.ok(read >= 1_500 && read < 1_600, `${read}`)
  main.answer = undefined
})

t.test('what a server leaves out of its usage is put right', async (t) => {
  const [usage, message] = [
    { prompt_tokens: 5, completion_tokens: 2, cached: 1 },
    { role: 'assistant', content: 'A wren.' },
  ]
  main.answer = (res, { body }) => {
    if (!body.stream) return json(res, { choices: [{ message }], usage })
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: message, finish_reason: 'stop' }] })
    sendPiece(res, { choices: [], usage })
    res.end('data: [DONE]\n\n')
  }
  const whole = await ask('POST /v1/ai/chat/completions', { body: { model: 'default', messages } })
  t.match(whole, { status: 200, body: { usage: { ...usage, total_tokens: 7 } } })
  const options = { stream: true as const, stream_options: { include_usage: true } }
  const pieces = []
  for await (const piece of await sdk.chat.completions.create({ model: 'default', messages, ...options }))
    pieces.push(piece)
  t.match(pieces.at(-1), { choices: [], usage: { ...usage, total_tokens: 7 } })
  main.answer = undefined
})

t.test(
  'what is asked with an idempotency key outlasts its clients: who stays and who comes back has all of it',
  async (t) => {
    let finish = () => {}
    const word = (content: string, finish_reason: 'stop' | null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason }],
    })
    main.answer = (res) => {
      sendPiece(beginStream(res), word('It ', null))
      finish = () => {
        sendPiece(res, word('is.', 'stop'))
        res.end('data: [DONE]\n\n')
      }
    }
    const begin = async (signal?: AbortSignal) => {
      const { body } = await fetch(`${ingress.url}/v1/ai/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'lasting' },
        body: JSON.stringify({ model: 'the-model', messages, stream: true }),
        ...(signal && { signal }),
      })
      const pieces = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
      const next = async (): Promise<string | undefined> => (await pieces.next()).value
      const first = await next()
      const rest = async () => {
        let text = ''
        for (let piece = await next(); piece !== undefined; piece = await next()) text += piece
        return text
      }
      return { first, rest }
    }
    const before = main.asked.length
    const [gone, alsoGone] = [new AbortController(), new AbortController()]
    const left = [await begin(gone.signal)]
    const stays = await begin()
    left.push(await begin(alsoGone.signal))
    for (const { first } of [...left, stays]) t.match(first, '"It "')
    for (const [i, controller] of [gone, alsoGone].entries()) {
      controller.abort()
      await t.rejects(async () => void (await left[i]?.rest()))
    }
    t.equal((await ask('GET /v1/ai/models')).status, 200)
    finish()
    t.match(await stays.rest(), /"is\.".*data: \[DONE\]\n\n$/s)
    main.answer = undefined
    const again = await begin()
    t.match(`${again.first}${await again.rest()}`, /"It ".*"is\.".*data: \[DONE\]\n\n$/s)
    t.equal(main.asked.length, before + 1)
  },
)

t.test('an answer whose pieces a crash of Postgres has taken is told as not kept', async (t) => {
  const word = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })
  main.answer = (res, { body }) => {
    if (!body.stream) return json(res, { choices: [{ message: { content: 'A wren.' } }] })
    sendPiece(beginStream(res), word('x'.repeat(50_000)))
    sendPiece(res, word('x'.repeat(50_000)))
    res.end('data: [DONE]\n\n')
  }
  const losses = [
    [false, sql.typeAlias('void')`truncate ai.pieces`],
    [true, sql.typeAlias('void')`truncate ai.pieces`],
    [true, sql.typeAlias('void')`delete from ai.pieces where n = 1`],
  ] as const
  for (const [i, [stream, loss]] of losses.entries()) {
    const given = { headers: { 'idempotency-key': `lost ${i}` }, body: { model: 'the-model', messages, stream } }
    t.equal((await ask('POST /v1/ai/chat/completions', given)).status, 200)
    await db.query(loss)
    const again = await ask('POST /v1/ai/chat/completions', given)
    t.match([again.status, again.body?.error], [409, { code: 'conflict', message: /no longer stored/ }], `${i}`)
  }
  main.answer = undefined
})

t.test('a stream that is read slowly listens for its client’s going once at a time', async (t) => {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const stream = openCompletionStream({ res, set() {}, status: 0, respond: true } as never)
  const before = res.listenerCount('close')
  for (let i = 0; i < 12; i++) {
    const writing = stream.write('x'.repeat(100_000))
    res.emit('drain')
    await writing
  }
  t.equal(res.listenerCount('close'), before)
  await stream[Symbol.asyncDispose]()
})
