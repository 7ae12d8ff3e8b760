import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { beginStream, json, sendPiece } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { db, ingress, key, ask, main, backup, renew } = await gatewayStack(t)
t.beforeEach(() => renew())

const tool = { type: 'function', name: 'f' }
const image = (more: object) => [{ role: 'user', content: [{ type: 'input_image', ...more }] }]
const file = (more: object) => [{ role: 'user', content: [{ type: 'input_file', file_data: 'YQ==', ...more }] }]
const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))
const part = 'body.input.0.content'

type Case = [string, Record<string, unknown>, string[]]

const responses: Case[] = [
  ['no input', { input: undefined }, ['body.input']],
  ['an empty text', { input: '' }, ['body.input']],
  ['an empty list', { input: [] }, ['body.input']],
  ['a number', { input: 1 }, ['body.input']],
  ['no model', { model: undefined }, ['body.model']],
  ['a long model', { model: 'x'.repeat(201) }, ['body.model']],
  ['an item that is null', { input: [null] }, ['body.input.0']],
  ['an unknown item', { input: [{ type: 'smell' }] }, ['body.input.0.type']],
  ['a role of nobody', { input: [{ role: 'narrator', content: 'a' }] }, ['body.input.0.role']],
  ['no content', { input: [{ role: 'user' }] }, [part]],
  ['no part', { input: [{ role: 'user', content: [] }] }, [part]],
  ['an unknown part', { input: [{ role: 'user', content: [{ type: 'smell' }] }] }, [`${part}.0.type`]],
  ['a picture by address', { input: image({ image_url: 'https://10.0.0.1/a.png' }) }, [`${part}.0.image_url`]],
  [
    'a picture by ID',
    { input: image({ image_url: 'data:image/png;base64,YQ==', file_id: 'a' }) },
    [`${part}.0.file_id`],
  ],
  ['a file by ID', { input: file({ file_id: 'file-1' }) }, [`${part}.0.file_id`]],
  ['a file by address', { input: file({ file_url: 'https://10.0.0.1' }) }, [`${part}.0.file_url`]],
  ['a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, ['body.input.0.id']],
  [
    'a call without an ID',
    { input: [{ type: 'function_call', name: 'f', arguments: '{}' }] },
    ['body.input.0.call_id'],
  ],
  [
    'arguments',
    { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: {} }] },
    ['body.input.0.arguments'],
  ],
  ['no output', { input: [{ type: 'function_call_output', call_id: 'a' }] }, ['body.input.0.output']],
  ['stored responses', { previous_response_id: 'resp_1' }, ['body.previous_response_id']],
  ['a conversation', { conversation: 'conv_1' }, ['body.conversation']],
  ['storing', { store: true }, ['body.store']],
  ['the background', { background: true }, ['body.background']],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }, ['body.prompt']],
  ['a search', { tools: [{ type: 'web_search' }] }, ['body.tools.0.type']],
  ['another server', { tools: [{ type: 'mcp', server_url: 'https://10.0.0.1' }] }, ['body.tools.0.type']],
  ['a tool without a name', { tools: [{ type: 'function' }] }, ['body.tools.0.name']],
  ['a choice of no tools', { tool_choice: 'required' }, ['body.tool_choice']],
  ['a choice of nothing', { tools: [tool], tool_choice: 'maybe' }, ['body.tool_choice']],
  ['a format', { text: { format: { type: 'xml' } } }, ['body.text.format.type']],
  ['no schema', { text: { format: { type: 'json_schema', name: 'a' } } }, ['body.text.format.schema']],
  ['an effort', { reasoning: { effort: 'heroic' } }, ['body.reasoning.effort']],
  ['a summary', { reasoning: { summary: 'poem' } }, ['body.reasoning.summary']],
  ['an inclusion', { include: ['file_search_call.results'] }, ['body.include.0']],
  ['no token', { max_output_tokens: 0 }, ['body.max_output_tokens']],
  ['a temperature', { temperature: 2.1 }, ['body.temperature']],
  ['options of no stream', { stream_options: { include_obfuscation: false } }, ['body.stream_options']],
  ['a stream in words', { stream: 'yes' }, ['body.stream']],
  ['much metadata', { metadata: seventeen }, ['body.metadata']],
  ['another server', { api_base: 'https://a.example' }, ['body.api_base']],
  ['several', { input: [], top_p: 2, truncation: 'all' }, ['body.input', 'body.top_p', 'body.truncation']],
]

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const block = 'body.messages.0.content'
const url = { type: 'url', url: 'https://10.0.0.1/a.png' }
const ofSource = ['data', 'media_type', 'type', 'url'].map((field) => `${block}.0.source.${field}`)
const use = { type: 'tool_use', id: 'a', name: 'f' }

const messages: Case[] = [
  ['no messages', { messages: undefined }, ['body.messages']],
  ['an empty list', { messages: [] }, ['body.messages']],
  ['a text', { messages: 'a' }, ['body.messages']],
  ['a message that is null', { messages: [null] }, ['body.messages.0']],
  ['a role of nobody', { messages: [{ role: 'system', content: 'a' }] }, ['body.messages.0.role']],
  ['no limit', { max_tokens: undefined }, ['body.max_tokens']],
  ['no token', { max_tokens: 0 }, ['body.max_tokens']],
  ['half a token', { max_tokens: 1.5 }, ['body.max_tokens']],
  ['no model', { model: undefined }, ['body.model']],
  ['an empty model', { model: '' }, ['body.model']],
  ['no content', { messages: [{ role: 'user' }] }, [block]],
  ['a number', user(1), [block]],
  ['no block', user([]), [block]],
  ['an unknown block', user([{ type: 'smell' }]), [`${block}.0.type`]],
  ['a text block without text', user([{ type: 'text' }]), [`${block}.0.text`]],
  ['a picture by address', user([{ type: 'image', source: url }]), ofSource],
  [
    'a document by ID',
    user([{ type: 'document', source: { type: 'file', file_id: 'a' } }]),
    [`${block}.0.source.type`],
  ],
  ['a result of no call', user([{ type: 'tool_result', content: 'a' }]), [`${block}.0.tool_use_id`]],
  ['a call by a user', user([{ ...use, input: {} }]), [`${block}.0.type`]],
  ['a call without input', { messages: [{ role: 'assistant', content: [use] }] }, [`${block}.0.input`]],
  ['a name of a user', { messages: [{ role: 'user', content: 'a', name: 'b' }] }, ['body.messages.0.name']],
  ['a temperature', { temperature: 1.1 }, ['body.temperature']],
  ['a top_p', { top_p: -1 }, ['body.top_p']],
  ['a top_k', { top_k: 0.5 }, ['body.top_k']],
  ['an empty stop', { stop_sequences: [''] }, ['body.stop_sequences.0']],
  ['a system prompt', { system: 1 }, ['body.system']],
  ['a stream in words', { stream: 'yes' }, ['body.stream']],
  [
    'a search',
    { tools: [{ type: 'web_search_20260209', name: 'web_search', input_schema: {} }] },
    ['body.tools.0.type'],
  ],
  ['no schema', { tools: [{ name: 'f' }] }, ['body.tools.0.input_schema']],
  ['a name with a space', { tools: [{ name: 'f g', input_schema: {} }] }, ['body.tools.0.name']],
  ['a choice of no tools', { tool_choice: { type: 'any' } }, ['body.tool_choice']],
  ['a choice of nothing', { tool_choice: { type: 'maybe' } }, ['body.tool_choice.type']],
  ['thoughts', { thinking: { type: 'enabled' } }, ['body.thinking.budget_tokens']],
  ['an effort', { output_config: { effort: 'heroic' } }, ['body.output_config.effort']],
  [
    'a format',
    { output_config: { format: { type: 'xml' } } },
    ['body.output_config.format.schema', 'body.output_config.format.type'],
  ],
  ['servers', { mcp_servers: [{ url: 'https://10.0.0.1' }] }, ['body.mcp_servers']],
  ['a container', { container: 'a' }, ['body.container']],
  ['metadata', { metadata: { team: 'a' } }, ['body.metadata.team']],
  ['a tier', { service_tier: 'priority' }, ['body.service_tier']],
  ['another server', { api_base: 'https://a.example' }, ['body.api_base']],
  ['several', { messages: [], max_tokens: 'a' }, ['body.max_tokens', 'body.messages']],
]

const rerank: Case[] = [
  ['no query', { query: undefined }, ['body.query']],
  ['a blank query', { query: ' ' }, ['body.query']],
  ['a long query', { query: 'a'.repeat(4_001) }, ['body.query']],
  ['no documents', { documents: undefined }, ['body.documents']],
  ['an empty list', { documents: [] }, ['body.documents']],
  ['a number', { documents: [1] }, ['body.documents.0']],
  ['no text', { documents: [{}] }, ['body.documents.0.text']],
  ['a blank text', { documents: ['a', ''] }, ['body.documents.1']],
  ['too many', { documents: Array(1_001).fill('a') }, ['body.documents']],
  ['too much', { documents: ['a'.repeat(300_000), 'b'.repeat(300_000)] }, ['body.documents']],
  ['no result', { top_n: 0 }, ['body.top_n']],
  ['half a result', { top_n: 1.5 }, ['body.top_n']],
  ['documents in words', { return_documents: 'yes' }, ['body.return_documents']],
  ['an empty model', { model: '' }, ['body.model']],
  ['an unknown field', { rank_fields: ['a'] }, ['body.rank_fields']],
]

const operations: [string, object, Case[]][] = [
  ['responses', { model: 'default', input: 'a' }, responses],
  ['messages', { model: 'default', max_tokens: 10, ...user('a') }, messages],
  ['anthropic/v1/messages', { model: 'default', max_tokens: 10, ...user('a') }, messages.slice(0, 3)],
  ['rerank', { query: 'a', documents: ['a'] }, rerank],
]

t.test('what cannot be asked is refused with every field named, in the format of the API', async (t) => {
  for (const [path, usual, cases] of operations) {
    for (const [name, body, fields] of cases) {
      const reply = await ask(`POST /v1/ai/${path}`, { body: { ...usual, ...body } })
      t.match([reply.status, reply.body.error], [400, { type: 'invalid_request_error', message: String }], name)
      t.same(fieldsOf(reply).sort(), fields, `${path}: ${name}`)
      t.equal(reply.body.type, path.includes('messages') ? 'error' : undefined)
    }
    for (const raw of ['', '{', '[]', '"a"', 'null', '{"a":'.repeat(2_000)]) {
      const reply = await ask(`POST /v1/ai/${path}`, { raw, headers: { 'content-type': 'application/json' } })
      t.match([reply.status, reply.body.error], [400, { type: 'invalid_request_error' }], raw.slice(0, 20))
    }
  }
  const beta = await ask('POST /v1/ai/messages', {
    body: { model: 'default', max_tokens: 10, ...user('a') },
    headers: { 'anthropic-beta': 'files-api-2025-04-14' },
  })
  t.match([beta.status, fieldsOf(beta)], [400, ['header.anthropic-beta']])
  const stranger = await fetch(`${ingress.url}/v1/ai/messages`, { method: 'POST', headers: { 'x-api-key': 'no' } })
  t.match([stranger.status, await stranger.json()], [401, { type: 'error', error: { type: 'authentication_error' } }])
  t.equal(main.asked.length + backup.asked.length, 0)
})

/** A stream of a chat completion that stays open after its first word. */
function streamOneWord(end?: 'end') {
  main.answer = (res) => {
    beginStream(res)
    sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
    if (end) res.end()
  }
}

const streamed = {
  responses: { model: 'the-model', input: 'a', stream: true },
  messages: { model: 'the-model', max_tokens: 10, ...user('a'), stream: true },
}

t.test('a stream that its server cuts ends with an error event, and its cost is counted', async (t) => {
  for (const [path, body] of Object.entries(streamed)) {
    const { keys, org } = await testOrg(db, ['ai:invoke'])
    await renew()
    streamOneWord('end')
    const { status, text } = await ask(`POST /v1/ai/${path}`, { key: keys.main, body })
    t.equal(status, 200)
    t.match(text, /"It ".*event: error\ndata: \{"type":"error".*"upstream_error".*\n\n$/s)
    const cost = await db.one(sql.type(z.object({ tokens: z.number() }))`
      select (prompt_tokens * completion_tokens)::float8 as tokens from ai.usage where org_id = ${org.id}`)
    t.ok(cost.tokens > 0)
    t.equal(backup.asked.length, 0)
  }
})

t.test('a client that goes away, and a revoked key, end the request of the server', async (t) => {
  for (const [path, body] of Object.entries(streamed)) {
    streamOneWord()
    const before = main.asked.length
    const gone = new AbortController()
    const asking = ask(`POST /v1/ai/${path}`, { body, signal: gone.signal }).catch((error: Error) => error)
    await until(() => main.asked.length > before)
    gone.abort()
    await asking
    await main.asked.at(-1)?.closed
    const { keys, org } = await testOrg(db, ['ai:invoke'])
    const told = ask(`POST /v1/ai/${path}`, { key: keys.main, body })
    await until(() => main.asked.length > before + 1)
    await db.query(sql.typeAlias('void')`update account.keys set revoked_at = now() where org_id = ${org.id}`)
    t.match((await told).text, /revoked/)
    await main.asked.at(-1)?.closed
    t.pass(`${path} has ended`)
  }
})

t.test('a server that is slow is given up in time, and the next one answers', async (t) => {
  for (const [path, body] of Object.entries(streamed)) {
    await renew({ AI_TIMEOUT_MS: '1500' })
    main.answer = () => {}
    const { status, text } = await ask(`POST /v1/ai/${path}`, { body })
    t.equal(status, 200)
    t.match(text, /You /)
    t.equal(backup.asked.length, 1)
  }
})

t.test('a repeat with an idempotency key has the same answer, and costs nothing', async (t) => {
  for (const [path, body] of Object.entries(streamed)) {
    const headers = { 'idempotency-key': `again ${path}` }
    const first = await ask(`POST /v1/ai/${path}`, { body, headers })
    const asked = main.asked.length
    const again = await ask(`POST /v1/ai/${path}`, { body, headers })
    t.equal(again.text, first.text)
    t.equal(main.asked.length, asked)
  }
})

t.test('a server’s refusal names its field, in the format of the API', async (t) => {
  main.answer = (res) => json(res, { error: { message: 'words', param: 'tools[0]', code: 'invalid_value' } }, 400)
  const response = await ask('POST /v1/ai/responses', { body: { model: 'the-model', input: 'a' } })
  t.match([response.status, response.body.error], [400, { param: 'tools[0]', type: 'invalid_request_error' }])
  const message = await ask('POST /v1/ai/messages', { body: { model: 'the-model', max_tokens: 9, ...user('a') } })
  t.match(
    [message.status, message.body],
    [400, { type: 'error', error: { type: 'invalid_request_error', message: /tools\[0\]/ } }],
  )
  t.ok(key)
})
