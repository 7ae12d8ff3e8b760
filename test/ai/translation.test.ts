import t from 'tap'
import { json } from '../support/model-server.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { ask, main, backup, renew } = await gatewayStack(t)
t.beforeEach(() => renew())

const call = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const text = { type: 'text', text: 'a' }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YQ==' } }
const turn = (role: string, ...content: object[]) => ({ role, content })
const result = (more: object) => ({ type: 'tool_result', tool_use_id: 'a', ...more })

t.test('a field that chat completions do not have is refused with its name', async (t) => {
  const responses: [object, string][] = [
    [{ reasoning: { summary: 'auto' } }, 'reasoning.summary'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ include: ['message.output_text.logprobs'] }, 'include'],
    [{ truncation: 'auto' }, 'truncation'],
    [{ tools: [{ type: 'custom', name: 'f' }] }, 'tools.0.type'],
    [{ input: [{ type: 'reasoning', summary: [] }] }, 'input.0.type'],
    [
      { input: [{ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_file', file_data: 'a' }] }] },
      'input.0.output.0.type',
    ],
  ]
  const messages: [object, string][] = [
    [{ thinking: { type: 'adaptive' } }, 'thinking'],
    [{ service_tier: 'standard_only' }, 'service_tier'],
    [{ tools: [{ name: 'f', input_schema: {}, eager_input_streaming: true }] }, 'tools.0.eager_input_streaming'],
    [{ messages: [turn('user', text), turn('assistant', text)] }, 'messages.1.role'],
    [{ messages: [turn('assistant', call, text), turn('user', text)] }, 'messages.0.content.1'],
    [{ messages: [turn('user', text, result({ content: 'a' }))] }, 'messages.0.content.1'],
    [{ messages: [turn('user', result({ content: [image] }))] }, 'messages.0.content.0.content.0.type'],
    [
      { messages: [turn('user', { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } })] },
      'messages.0.content.0.source',
    ],
  ]
  for (const [more, param] of responses) {
    const { status, body } = await ask('POST /v1/ai/responses', { body: { model: 'default', input: 'a', ...more } })
    t.match([status, body.error], [400, { code: 'invalid_request', param, type: 'invalid_request_error' }], param)
  }
  for (const [more, param] of messages) {
    const usual = { model: 'default', max_tokens: 9, messages: [turn('user', text)] }
    const { status, body } = await ask('POST /v1/ai/messages', { body: { ...usual, ...more } })
    t.match([status, body.error.type, body.error.details], [400, 'invalid_request_error', { param }], param)
    t.ok(body.error.message.includes(param))
  }
  t.equal(main.asked.length + backup.asked.length, 0)
})

t.test('everything else reaches the model', async (t) => {
  await ask('POST /v1/ai/messages', {
    body: {
      model: 'default',
      max_tokens: 9,
      system: [{ ...text, cache_control: { type: 'ephemeral' } }],
      messages: [
        turn('user', image, text),
        turn('assistant', text, call),
        turn('user', result({ content: [text], is_error: true }), text),
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      metadata: { user_id: 'u' },
    },
  })
  const user = { role: 'user', content: [{ type: 'text', text: 'a' }] }
  const asked = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  t.same(main.asked[0]?.body, {
    model: 'the-model',
    stream: false,
    max_tokens: 9,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,YQ==' } }, user.content[0]],
      },
      { role: 'assistant', content: 'a', tool_calls: [asked] },
      { role: 'tool', tool_call_id: 'a', content: 'Error: a' },
      user,
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    stop: ['END'],
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' }, strict: true } },
    user: 'u',
  })
})

t.test('the end of an answer has the word of its API', async (t) => {
  for (const [finish_reason, stop_reason, status] of [
    ['length', 'max_tokens', 'incomplete'],
    ['content_filter', 'refusal', 'incomplete'],
    ['stop', 'end_turn', 'completed'],
  ] as const) {
    main.answer = (res) => json(res, { choices: [{ message: { content: 'A wren.' }, finish_reason }] })
    const messages = [turn('user', text)]
    const message = await ask('POST /v1/ai/messages', { body: { model: 'default', max_tokens: 9, messages } })
    t.match(message.body, { stop_reason, content: [{ text: 'A wren.' }] })
    const response = await ask('POST /v1/ai/responses', { body: { model: 'default', input: 'a' } })
    t.match(response.body, { status, output: [{ content: [{ text: 'A wren.' }] }] })
  }
  main.answer = (res) =>
    json(res, { choices: [{ message: { content: 'A' }, finish_reason: 'stop', stop_reason: 'END' }] })
  const body = { model: 'default', max_tokens: 9, messages: [turn('user', text)], stop_sequences: ['END'] }
  t.match((await ask('POST /v1/ai/messages', { body })).body, { stop_reason: 'stop_sequence', stop_sequence: 'END' })
})

t.test('documents are ordered by a server with a model, otherwise by words', async (t) => {
  const body = {
    query: 'refunds arrive',
    documents: ['Ships sail.', { text: 'Refunds arrive soon.' }],
    return_documents: true,
  }
  const words = await ask('POST /v1/ai/rerank', { body })
  t.match(words.body, {
    engine: 'embedded',
    results: [{ index: 1, relevance_score: 1, document: { text: 'Refunds arrive soon.' } }, { index: 0 }],
  })
  t.ok(words.body.results[1].relevance_score < 0.3, JSON.stringify(words.body.results))
  t.equal((await ask('POST /v1/ai/rerank', { body: { ...body, model: 'ranker' } })).status, 404)
  await renew({ AI_RERANK_MODELS: 'ranker=bge-reranker' })
  const results = [
    { index: 0, relevance_score: 0.1 },
    { index: 1, relevance_score: 0.9 },
  ]
  main.answer = (res) => json(res, { results, usage: { total_tokens: 40 } })
  const ranked = await ask('POST /v1/ai/rerank', { body: { ...body, model: 'ranker', top_n: 2 } })
  t.match(ranked.body, {
    engine: 'upstream',
    model: 'bge-reranker',
    results: [{ index: 1 }, { index: 0 }],
    usage: { total_tokens: 40 },
  })
  t.match(main.asked[0], { path: '/v1/rerank', body: { model: 'bge-reranker', query: body.query, top_n: 2 } })
  for (const wrong of [[], [{ index: 7, relevance_score: 1 }], [results[0], results[0]], 'text']) {
    await renew({ AI_RERANK_MODELS: 'ranker' })
    main.answer = (res) => json(res, { results: wrong })
    t.equal((await ask('POST /v1/ai/rerank', { body })).status, 502, JSON.stringify(wrong))
  }
})
