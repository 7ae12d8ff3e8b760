import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { OpenAI as LlamaOpenAI, OpenAIEmbedding } from '@llamaindex/openai'
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents'
import { tool as aiTool, embed, generateText, isStepCount, streamText } from 'ai'
import t from 'tap'
import { z } from 'zod'
import { vectorFor } from '../support/model-server.ts'
import { gatewayStack } from './gateway-stack.ts'

t.setTimeout(240_000)
const { ingress, key, sdk, main, renew } = await gatewayStack(t)
t.beforeEach(() => renew())

const baseURL = `${ingress.url}/v1/ai`
const City = z.object({ city: z.string() })
const weather = ({ city }: z.infer<typeof City>) => `8 °C in ${city}`
const said = 'You said: 8 °C in Rīga'

t.test('openai: responses, whole and streamed, with a tool', async (t) => {
  const whole = await sdk.responses.create({ model: 'gpt-4o', input: 'a bird', instructions: 'Be brief.' })
  t.match(whole, { object: 'response', status: 'completed', model: 'gpt-4o', output_text: 'You said: a bird' })
  t.match(whole.usage, { input_tokens: 9, output_tokens: 3, total_tokens: 12 })
  const asked = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a bird' },
  ]
  t.same(main.asked[0]?.body.messages, asked)
  const tools = [{ type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false }]
  const stream = sdk.responses.stream({ model: 'default', input: 'Rīga?', tools })
  const types = new Set<string>()
  for await (const event of stream) types.add(event.type)
  t.ok(types.has('response.function_call_arguments.delta'))
  const { output } = await stream.finalResponse()
  const [call] = output
  if (call?.type !== 'function_call') return t.fail('there is a call')
  t.match(call, { name: 'weather', call_id: 'call_1', arguments: '{"city":"Rīga"}' })
  const input = [
    { role: 'user' as const, content: 'Rīga?' },
    { type: 'function_call' as const, name: call.name, call_id: call.call_id, arguments: call.arguments },
    { type: 'function_call_output' as const, call_id: call.call_id, output: '8 °C in Rīga' },
  ]
  let text = ''
  for await (const event of await sdk.responses.create({ model: 'default', input, tools, stream: true })) {
    if (event.type === 'response.output_text.delta') text += event.delta
  }
  t.equal(text, said)
})

t.test('@anthropic-ai/sdk: messages, whole and streamed, and a tool that runs', async (t) => {
  const client = new Anthropic({ baseURL: `${baseURL}/anthropic`, apiKey: key, maxRetries: 0 })
  const asked = { model: 'default', max_tokens: 100 }
  const messages = [{ role: 'user' as const, content: 'a bird' }]
  const whole = await client.messages.create({ ...asked, messages, system: 'Be brief.' })
  t.match(whole, { type: 'message', role: 'assistant', stop_reason: 'end_turn', usage: { input_tokens: 9 } })
  t.match(whole.content, [{ type: 'text', text: 'You said: a bird' }])
  t.match(main.asked[0]?.body, { max_tokens: 100, messages: [{ role: 'system' }, { role: 'user' }] })
  const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }]
  const called = await client.messages.stream({ ...asked, messages, tools }).finalMessage()
  t.match(called, { stop_reason: 'tool_use', usage: { input_tokens: 9, output_tokens: 3 } })
  const use = called.content.find((block) => block.type === 'tool_use')
  t.match(use, { id: 'call_1', name: 'weather', input: { city: 'Rīga' } })
  const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: weather(City.parse(use?.input)) }
  const turns = [
    ...messages,
    { role: 'assistant' as const, content: called.content },
    { role: 'user' as const, content: [result] },
  ]
  const stream = client.messages.stream({ ...asked, messages: turns, tools })
  let text = ''
  stream.on('text', (delta) => {
    text += delta
  })
  t.match(await stream.finalMessage(), { stop_reason: 'end_turn', content: [{ text: said }] })
  t.equal(text, said)
  await t.rejects(client.messages.create({ ...asked, messages, model: 'gpt-9' }), Anthropic.NotFoundError)
})

t.test('ai: generateText, streamText, a tool and embeddings, with both of its providers', async (t) => {
  const compatible = createOpenAICompatible({ name: 'millrace', baseURL, apiKey: key })
  const openai = createOpenAI({ baseURL, apiKey: key })
  const tools = { weather: aiTool({ inputSchema: City, execute: async (city) => weather(city) }) }
  // Without it, the provider refers to stored responses.
  const providerOptions = { openai: { store: false } }
  for (const model of [compatible('default'), openai.chat('gpt-4o'), openai.responses('gpt-4o')]) {
    const plain = await generateText({ model, prompt: 'a bird', providerOptions })
    t.match([plain.text, plain.usage.totalTokens], ['You said: a bird', 12])
    const ran = await generateText({ model, prompt: 'Rīga?', tools, stopWhen: isStepCount(3), providerOptions })
    t.equal(ran.text, said)
    let text = ''
    for await (const delta of streamText({ model, prompt: 'a bird', providerOptions }).textStream) text += delta
    t.equal(text, 'You said: a bird')
  }
  const model = compatible.embeddingModel('text-embedding-3-small')
  t.same((await embed({ model, value: 'a bird' })).embedding, vectorFor('a bird'))
})

t.test('@langchain/openai: invoke, stream, a tool and embeddings', async (t) => {
  for (const useResponsesApi of [false, true]) {
    const more = useResponsesApi ? { useResponsesApi, zdrEnabled: true } : {}
    const chat = new ChatOpenAI({ model: 'gpt-4o', apiKey: key, configuration: { baseURL }, maxRetries: 0, ...more })
    t.equal((await chat.invoke('a bird')).text, 'You said: a bird')
    let text = ''
    for await (const chunk of await chat.stream('a bird')) text += chunk.text
    t.equal(text, 'You said: a bird')
    const named = { name: 'weather', description: 'The weather of a city', schema: City }
    const tool = langchainTool((city) => weather(city), named)
    const question = new HumanMessage('Rīga?')
    const called = await chat.bindTools([tool]).invoke([question])
    const [call] = called.tool_calls ?? []
    t.match(call, { name: 'weather', args: { city: 'Rīga' } })
    if (!call) return
    const result = await tool.invoke({ ...call, type: 'tool_call' })
    t.equal((await chat.bindTools([tool]).invoke([question, called, result])).text, said)
  }
  const embeddings = new OpenAIEmbeddings({ model: 'text-embedding-3-small', apiKey: key, configuration: { baseURL } })
  t.same(await embeddings.embedQuery('a bird'), vectorFor('a bird'))
})

t.test('@openai/agents: an agent runs its tool, by responses and by chat completions', async (t) => {
  const ran: string[] = []
  const getWeather = agentTool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: City,
    execute: async (city) => {
      ran.push(city.city)
      return weather(city)
    },
  })
  const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', tools: [getWeather], model: 'gpt-4o' })
  for (const useResponses of [true, false]) {
    const modelProvider = new OpenAIProvider({ apiKey: key, baseURL, useResponses })
    const runner = new Runner({ modelProvider, tracingDisabled: true })
    const whole = await runner.run(agent, 'How warm is it in Rīga?')
    t.equal(whole.finalOutput, said)
    const streamed = await runner.run(agent, 'How warm is it in Rīga?', { stream: true })
    let text = ''
    for await (const part of streamed.toTextStream()) text += part
    await streamed.completed
    t.match([text, streamed.finalOutput], [said, said])
  }
  t.same(ran, ['Rīga', 'Rīga', 'Rīga', 'Rīga'])
})

t.test('llamaindex: chat, a stream and embeddings', async (t) => {
  const llm = new LlamaOpenAI({ model: 'gpt-4o', apiKey: key, baseURL, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'a bird' }]
  t.equal((await llm.chat({ messages })).message.content, 'You said: a bird')
  let text = ''
  for await (const { delta } of await llm.chat({ messages, stream: true })) text += delta
  t.equal(text, 'You said: a bird')
  const embeddings = new OpenAIEmbedding({ model: 'text-embedding-3-small', apiKey: key, baseURL })
  t.same(await embeddings.getTextEmbedding('a bird'), vectorFor('a bird'))
})
