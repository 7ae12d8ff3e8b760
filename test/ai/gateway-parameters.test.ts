import t from 'tap'
import { says } from '../support/model-server.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { ask, sdk, main, renew } = await gatewayStack(t)
t.beforeEach(() => renew())

const messages = [{ role: 'user' as const, content: 'a bird' }]

/** The request of LangChain's agents in their second turn. */
const secondTurn = [
  ...messages,
  {
    role: 'assistant' as const,
    content: '',
    tool_calls: [{ id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } }],
  },
  { role: 'tool' as const, tool_call_id: 'call_1', content: '8 °C', name: 'weather' },
]

t.test('what OpenAI’s reference has is passed on as it is', async (t) => {
  const more = {
    service_tier: 'flex' as const,
    prompt_cache_key: 'agent-7',
    prompt_cache_retention: '24h' as const,
    safety_identifier: 'u-7',
    prediction: { type: 'content' as const, content: 'You said' },
    store: true,
    modalities: ['text' as const, 'audio' as const],
    audio: { voice: 'alloy', format: 'mp3' as const },
    reasoning_effort: 'max' as const,
    n: 128,
  }
  // A proxy would send the conversation to the host in the metadata.
  const metadata = { run: '7', langfuse_host: 'https://elsewhere.example' }
  await sdk.chat.completions.create({ model: 'gpt-4o', messages: secondTurn, ...more, metadata })
  t.same(main.asked[0]?.body, { model: 'the-model', messages: secondTurn, ...more, stream: false })
  const legacy = {
    messages: [
      ...messages,
      { role: 'assistant' as const, content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function' as const, name: 'f', content: 'done' },
    ],
    functions: [{ name: 'f', parameters: { type: 'object' } }],
    function_call: 'auto' as const,
  }
  await sdk.chat.completions.create({ model: 'gpt-4o', ...legacy })
  t.match(main.asked[1]?.body, legacy)
  const custom = {
    messages: [
      { role: 'user' as const, content: [{ type: 'file' as const, file: { filename: 'a.pdf', file_data: 'YQ==' } }] },
      {
        role: 'assistant' as const,
        content: '',
        tool_calls: [{ id: 'c', type: 'custom' as const, custom: { name: 'run', input: '1 + 1' } }],
      },
      { role: 'tool' as const, tool_call_id: 'c', content: '2' },
    ],
    tools: [{ type: 'custom' as const, custom: { name: 'run', format: { type: 'text' as const } } }],
    tool_choice: { type: 'custom' as const, custom: { name: 'run' } },
  }
  main.answer = (res) => says(res, '2')
  await sdk.chat.completions.create({ model: 'gpt-4o', ...custom })
  t.match(main.asked[2]?.body, custom)
})

t.test(
  'an answer can be sent back whole; empty lists of tools are left out, as OpenAI’s server rejects them',
  async (t) => {
    const told = { role: 'assistant', content: '', tool_calls: [], reasoning: 'hm', provider_specific_fields: { a: 1 } }
    const body = {
      model: 'gpt-4o',
      messages: [...messages, told],
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    }
    const { status } = await ask('POST /v1/ai/chat/completions', { body })
    t.equal(status, 200)
    const { tool_calls: _none, ...kept } = told
    t.same(main.asked[0]?.body, { model: 'the-model', messages: [...messages, kept], stream: false })
  },
)
