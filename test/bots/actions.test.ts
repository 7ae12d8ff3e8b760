import '../support/webhooks-environment.ts'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { z } from 'zod'
import { readConfig } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { fieldsOf } from '../support/ingress.ts'
import { json, type ModelRequest, modelServer, says } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const model = await modelServer(t)
const upstreamSettings = {
  AI_ENGINE: 'upstream',
  AI_BASE_URL: model.url,
  AI_MODEL: 'some',
  AI_RETRIES: '0',
}
const engines = { embedded: createLanguageEngine(), upstream: createLanguageEngine(readConfig(upstreamSettings)) }
let current: LanguageEngine = engines.embedded
t.teardown(() => Promise.all([engines.embedded.close(), engines.upstream.close()]))
const switched = {
  chat: (...given: Parameters<LanguageEngine['chat']>) => current.chat(...given),
  get gateway() {
    return current.gateway
  },
} as LanguageEngine
const stack = await botsStack(t, switched)
await stack.startWorkers()
const shop = await testReceiver(t)
const { ask, askElse, db, say } = stack
const usage = (id: string) =>
  sql.type(
    z.object({ usage: z.object({ prompt_tokens: z.number() }) }),
  )`select usage from bots.messages where id = ${id}`

const order = {
  name: 'order_status',
  description: 'Tells where an order is.',
  url: `${shop.url}/orders`,
  parameters: {
    type: 'object',
    properties: { order: { type: 'string' }, express: { type: 'boolean' } },
    required: ['order'],
  },
}

async function botWith(facts: Record<string, unknown>): Promise<{ bot: string; action: string; secret: string }> {
  const bot = await stack.bot()
  const { status, body, text } = await ask(`POST /v1/bots/${bot}/actions`, { body: facts })
  if (status !== 200) throw new Error(text)
  return { bot, action: body.id, secret: body.secret }
}

const callsOf = async (bot: string, action: string) =>
  (await ask(`GET /v1/bots/${bot}/actions/${action}/calls`)).body.data

/** Makes the model call an action in its first turn, and then repeat the last tool result. */
function callsFirst(...calls: readonly { name: string; given: unknown }[]): void {
  model.answer = (res, { body }: ModelRequest) => {
    const last = body.messages.at(-1)
    if (last.role === 'tool') return says(res, `It says: ${last.content}`)
    const tool_calls = calls.map(({ name, given }, i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
    }))
    json(res, {
      choices: [{ message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
    })
  }
}

t.beforeEach(() => {
  current = engines.upstream
  model.asked.length = 0
  shop.received.length = 0
  shop.answer = (_, res) => json(res, { text: 'It is on the ferry.' })
})

t.test('a model has a bot ask its owner’s server, signed, and answers by what comes back', async (t) => {
  const { bot, action, secret } = await botWith(order)
  callsFirst({ name: 'order_status', given: { order: 'A-17' } })
  const { status, body } = await say(bot, 'Where is my order A-17?', { user_id: 'anna' })
  t.equal(status, 200)
  t.match(body.message, { content: 'It says: {"text":"It is on the ferry."}' })
  t.equal((await db.oneFirst(usage(body.message.id))).prompt_tokens, 107, 'both turns are charged')
  const [posted] = shop.received
  if (!posted) throw new Error('nothing was posted')
  t.match(new Webhook(secret).verify(posted.body, posted.headers), {
    action: 'order_status',
    arguments: { order: 'A-17' },
    bot_id: bot,
    conversation_id: body.conversation_id,
    message_id: body.message.id,
    message: 'Where is my order A-17?',
    user_id: 'anna',
  })
  const [first, second] = model.asked.map((one) => one.body)
  t.match(first.tools, [{ type: 'function', function: { name: 'order_status', parameters: order.parameters } }])
  t.equal(first.tool_choice, 'auto')
  t.match(second.messages.slice(-2), [{ tool_calls: [{ id: 'call_0' }] }, { role: 'tool', tool_call_id: 'call_0' }])
  t.match(await callsOf(bot, action), [
    {
      status: 'ok',
      http_status: 200,
      arguments: { order: 'A-17' },
      answer: '{"text":"It is on the ferry."}',
      error: null,
    },
  ])
  t.match((await ask(`GET /v1/bots/${bot}/actions/${action}`)).body, { last_call: { status: 'ok', error: null } })
  t.notOk(
    JSON.stringify((await ask(`GET /v1/bots/${bot}/actions`)).body).includes('whsec_'),
    'the secret is shown once',
  )
  const streamed = await say(bot, 'And A-17 now?', { stream: true, conversation_id: body.conversation_id })
  t.match(streamed.text, /event: message\.completed/)
})

t.test('the embedded engine calls by a phrase, and says what comes back', async (t) => {
  current = engines.embedded
  const { bot } = await botWith({ ...order, parameters: undefined, triggers: ['opening hours'] })
  t.match((await say(bot, 'What are your OPENING hours?')).body.message, { content: 'It is on the ferry.' })
  shop.answer = (_, res) => res.end('Nine to five.')
  t.match((await say(bot, 'Opening hours, please')).body.message, { content: 'Nine to five.' })
  shop.answer = (_, res) => json(res, { words: 'none of its own' })
  t.match((await say(bot, 'Opening hours?')).body.message, { content: 'I do not know that.' })
  const before = shop.received.length
  await say(bot, 'When did opening her shop take hours?')
  t.equal(shop.received.length, before, 'words apart are no phrase')
})

t.test('what fails is told to the model and to the owner, and never taken for an answer', async (t) => {
  const { bot, action } = await botWith(order)
  const asked = async (given: unknown) => {
    callsFirst({ name: 'order_status', given })
    return (await say(bot, 'Where is it?')).body.message.content
  }
  shop.answer = (_, res) => json(res, { secret: 'stack trace' }, 500)
  t.equal(await asked({ order: '1' }), 'It says: It failed. The action’s server returned 500.')
  shop.answer = (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
  t.match(await asked({ order: '1' }), /returned 302/)
  shop.answer = (_, res) => res.end('x'.repeat(9_000))
  t.match(await asked({ order: '1' }), /It failed/)
  shop.answer = (_, res) => res.destroy()
  t.match(await asked({ order: '1' }), /It failed/)
  const before = shop.received.length
  t.match(await asked({}), /arguments are invalid/)
  t.match(await asked({ order: 1, other: 2 }), /arguments are invalid/)
  t.match(await asked('not JSON'), /arguments are invalid/)
  t.equal(shop.received.length, before, 'what does not fit is not sent')
  const codes = (await callsOf(bot, action)).map(({ error }: { error: { code: string } }) => error.code)
  t.same(codes.slice(0, 3), ['bad_arguments', 'bad_arguments', 'bad_arguments'])
  t.equal(codes.at(-1), 'http_status')
  t.match((await ask(`GET /v1/bots/${bot}/actions/${action}`)).body, { last_call: { status: 'failed' } })
  callsFirst({ name: 'drop_tables', given: {} })
  t.match((await say(bot, 'Go')).body.message.content, /This action does not exist/)
})

t.test('an answer that is made anew takes what was brought; calls and turns have an end', async (t) => {
  const { bot } = await botWith(order)
  let turns = 0
  callsFirst({ name: 'order_status', given: { order: 'B', express: true } })
  const calls = model.answer
  model.answer = (res, asked) => {
    turns++
    // The second turn of the first attempt breaks.
    if (turns === 2) return json(res, { error: { message: 'busy' } }, 503)
    calls?.(res, asked)
  }
  t.match((await say(bot, 'Where is B?')).body.message, { status: 'completed', content: /ferry/ })
  t.equal(shop.received.length, 1)
  t.equal(turns, 3, 'it goes on where the first attempt was')
  shop.received.length = 0
  model.asked.length = 0
  let n = 0
  model.answer = (res, { body }) => {
    if (body.tool_choice === 'none') return says(res, 'Enough.')
    const tool_calls = [1, 2, 3].map(() => ({
      id: `call_${++n}`,
      type: 'function',
      function: { name: 'order_status', arguments: JSON.stringify({ order: String(n) }) },
    }))
    json(res, { choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] })
  }
  t.equal((await say(bot, 'Where is everything?')).body.message.content, 'Enough.')
  t.same([shop.received.length, model.asked.length], [4, 3])
})

t.test('an answer whose organisation has its share of places for actions waits', async (t) => {
  const { bot } = await botWith(order)
  callsFirst({ name: 'order_status', given: { order: 'E' } })
  const waits = sql.type(z.object({ id: z.string() }))`
    select id from bots.messages where bot_id = ${bot} and status = 'pending' and generation > 2`
  const asked: number[] = []
  shop.answer = async (_, res) => {
    // The other answer was restarted several times in between.
    if (shop.received.length === 1) await until(() => db.exists(waits))
    asked.push(model.asked.length)
    json(res, { text: 'Here.' })
  }
  const both = await Promise.all([say(bot, 'Where is E?'), say(bot, 'Where is it?')])
  t.same(
    both.map(({ body }) => body.message.content),
    ['It says: {"text":"Here."}', 'It says: {"text":"Here."}'],
  )
  const broken = sql.type(z.object({ outcome: z.string() }))`select outcome from ai.usage where outcome = 'broken_off'`
  t.notOk(await db.exists(broken), 'waiting for its turn costs nothing')
  t.same(asked, [1, 3], 'its model is not asked before')
})

t.test('what is turned off or removed, or another organisation’s conversation, calls nothing', async (t) => {
  const { bot, action } = await botWith(order)
  model.answer = (res, { body }) => says(res, body.tools ? 'It may call.' : 'It may not.')
  const said = async (more = {}) => (await say(bot, 'Where is it?', {}, more)).body.message.content
  t.equal(await said(), 'It may call.')
  t.equal((await ask(`PATCH /v1/bots/${bot}/actions/${action}`, { body: { enabled: false } })).body.enabled, false)
  t.equal(await said(), 'It may not.')
  await ask(`PATCH /v1/bots/${bot}/actions/${action}`, { body: { enabled: true } })
  await ask(`POST /v1/bots/${bot}/publish`)
  const theirs = await askElse(`POST /v1/bots/${bot}/chat`, { body: { message: 'Where is it?' } })
  t.equal(theirs.body.message.content, 'It may not.')
  // The action is deleted while the model is working.
  callsFirst({ name: 'order_status', given: { order: 'C' } })
  const calls = model.answer
  model.answer = async (res, asked) => {
    if (asked.body.messages.at(-1).role === 'user') await ask(`DELETE /v1/bots/${bot}/actions/${action}`)
    calls?.(res, asked)
  }
  t.match(await said(), /no longer exists/)
  t.equal(shop.received.length, 0)
})

t.test('a secret is replaced at once', async (t) => {
  const { bot, action, secret } = await botWith(order)
  const { body } = await ask(`POST /v1/bots/${bot}/actions/${action}/rotate-secret`, { body: {} })
  t.not(body.secret, secret)
  callsFirst({ name: 'order_status', given: { order: 'D' } })
  await say(bot, 'Where is D?')
  const [posted] = shop.received
  t.ok(posted && new Webhook(body.secret).verify(posted.body, posted.headers))
  t.throws(() => posted && new Webhook(secret).verify(posted.body, posted.headers))
})

t.test('bad input is told field by field', async (t) => {
  const { bot, action } = await botWith(order)
  const path = `POST /v1/bots/${bot}/actions`
  const object = (properties: unknown, more = {}) => ({ parameters: { type: 'object', properties, ...more } })
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, { type: 'string' }]))
  const wrong: readonly (readonly [object, readonly string[]])[] = [
    [{ name: undefined }, ['body.name']],
    [{ name: '' }, ['body.name']],
    [{ name: 'Order' }, ['body.name']],
    [{ name: '9th' }, ['body.name']],
    [{ name: 'a'.repeat(64) }, ['body.name']],
    [{ name: 'order-status' }, ['body.name']],
    [{ name: 7 }, ['body.name']],
    [{ name: 'order_status' }, ['body.name']],
    [{ description: undefined }, ['body.description']],
    [{ description: '  ' }, ['body.description']],
    [{ description: 'x'.repeat(1_001) }, ['body.description']],
    [{ description: 'bell \u0007' }, ['body.description']],
    [{ url: undefined }, ['body.url']],
    [{ url: 'shop' }, ['body.url']],
    [{ url: 'ftp://shop.example' }, ['body.url']],
    [{ url: 'http://10.0.0.1/' }, ['body.url']],
    [{ url: 'http://169.254.169.254/latest' }, ['body.url']],
    [{ url: 'https://[::1]/' }, ['body.url']],
    [{ url: 'https://anna:pw@shop.example/' }, ['body.url']],
    [{ url: 'https://shop.example/#part' }, ['body.url']],
    [{ url: `https://shop.example/${'x'.repeat(2_100)}` }, ['body.url']],
    [{ parameters: [] }, ['body.parameters']],
    [{ parameters: { type: 'array' } }, ['body.parameters.properties', 'body.parameters.type']],
    [object({ a: { type: 'object' } }), ['body.parameters.properties.a.type']],
    [
      object({ a: { type: 'array', items: {} } }),
      ['body.parameters.properties.a.items', 'body.parameters.properties.a.type'],
    ],
    [object({ a: { type: 'string', pattern: '(a+)+$' } }), ['body.parameters.properties.a.pattern']],
    [object({ a: { $ref: '#' } }), ['body.parameters.properties.a.$ref', 'body.parameters.properties.a.type']],
    [object({ 'a b': { type: 'string' } }), ['body.parameters.properties.a b']],
    [object({ a: { type: 'integer', enum: ['1'] } }), ['body.parameters.properties.a.enum']],
    [object({ a: { type: 'string', enum: [] } }), ['body.parameters.properties.a.enum']],
    [object({ a: { type: 'string', enum: [1] } }), ['body.parameters.properties.a.enum.0']],
    [object({ a: { type: 'string' } }, { required: ['b'] }), ['body.parameters.required.0']],
    [object({ a: { type: 'string' } }, { required: 'a' }), ['body.parameters.required']],
    [object({ a: { type: 'string' } }, { additionalProperties: true }), ['body.parameters.additionalProperties']],
    [object(many), ['body.parameters.properties']],
    [
      object({ a: { type: 'string', enum: Array.from({ length: 50 }, (_, n) => `${n}`.padStart(100, 'x')) } }),
      ['body.parameters'],
    ],
    [{ triggers: 'order' }, ['body.triggers']],
    [{ triggers: Array(11).fill('order') }, ['body.triggers']],
    [{ triggers: ['?!'] }, ['body.triggers.0']],
    [{ triggers: ['x'.repeat(201)] }, ['body.triggers.0']],
    [{ enabled: 'yes' }, ['body.enabled']],
    [{ secret: 'whsec_mine' }, ['body.secret']],
    [{ name: 7, url: 'shop', triggers: [1] }, ['body.name', 'body.triggers.0', 'body.url']],
  ]
  for (const [change, fields] of wrong) {
    const reply = await ask(path, { body: { ...order, name: 'another', ...change } })
    t.equal(reply.status, 400, JSON.stringify(change))
    t.same(fieldsOf(reply), fields, JSON.stringify(change))
  }
  t.same(fieldsOf(await ask(`PATCH /v1/bots/${bot}/actions/${action}`, { body: {} })), ['body'])
  const second = await ask(path, { body: { ...order, name: 'second' } })
  const taken = await ask(`PATCH /v1/bots/${bot}/actions/${second.body.id}`, { body: { name: order.name } })
  t.same(fieldsOf(taken), ['body.name'])
  for (let n = 2; n < 10; n++) t.equal((await ask(path, { body: { ...order, name: `n${n}` } })).status, 200)
  t.same(fieldsOf(await ask(path, { body: { ...order, name: 'eleventh' } })), ['path.botId'])
  for (const request of [
    `GET /v1/bots/${bot}/actions`,
    `GET /v1/bots/${bot}/actions/${action}`,
    `GET /v1/bots/${bot}/actions/${action}/calls`,
    `DELETE /v1/bots/${bot}/actions/${action}`,
  ])
    t.equal((await askElse(request)).status, 404, request)
})
