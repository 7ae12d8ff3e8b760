import '../support/webhooks-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { readConfig } from '#lib/config.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import * as calls from '#sql/bots/action-calls.ts'
import { sql } from '#sql/db.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { createActionSeats, createLanguageEngine } from '../../workers/llm/engine.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { get, signedIn, submit } from '../app/fixture.ts'
import { fault, json, type ModelRequest, modelServer, says } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { testReceiver } from '../webhooks/receiver.ts'
import { llmPlan } from './engine.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const model = await modelServer(t)
const upstreamSettings = { AI_ENGINE: 'upstream', AI_BASE_URL: model.url, AI_MODEL: 'some', AI_RETRIES: '0' }
const upstream = createLanguageEngine(readConfig(upstreamSettings))
const embedded = createLanguageEngine()
let current: LanguageEngine = upstream
t.teardown(() => Promise.all([upstream.close(), embedded.close()]))
const switched = {
  chat: (...given: Parameters<LanguageEngine['chat']>) => current.chat(...given),
  get gateway() {
    return current.gateway
  },
} as LanguageEngine
const stack = await botsStack(t, switched, ['app', 'account'])
const { ask, db, say } = stack
const { url } = stack.ingress
const shop = await testReceiver(t)

async function worker() {
  const settings = { lease: 60_000, sweep: 500, grace: 200 }
  const fleet = await startFleet(stack.databaseUrl, [llmPlan(switched) as PoolPlan], settings, (why) => t.fail(why))
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= fleet.stop()
    return stopped
  }
  t.teardown(stop)
  return stop
}

const refund = {
  name: 'refund',
  description: 'Pays an order back.',
  url: `${shop.url}/refunds`,
  parameters: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
}

async function botWith(facts: object = refund) {
  const bot = await stack.bot()
  const { status, body, text } = await ask(`POST /v1/bots/${bot}/actions`, { body: facts })
  if (status !== 200) throw new Error(text)
  const action: string = body.id
  const noted = async () => (await ask(`GET /v1/bots/${bot}/actions/${action}/calls`)).body.data
  return { bot, action, noted }
}

const orgOf = (bot: string) =>
  sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`

/** Makes the model call in every turn with new arguments. Each text is passed unchanged. */
function wordsAnew(given: (n: number) => string, perTurn = 1) {
  let n = 0
  return (res: Parameters<typeof json>[0]) => {
    const tool_calls = Array.from({ length: perTurn }, () => {
      n++
      return { id: `call_${n}`, type: 'function', function: { name: 'refund', arguments: given(n) } }
    })
    json(res, { choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] })
  }
}

const inWords = (n: number) => JSON.stringify({ why: `reason ${n}` })
const isCalled = ({ body }: ModelRequest) => body.messages.at(-1).role === 'tool'
const ids = () => shop.received.map(({ headers }) => headers['webhook-id'])

t.beforeEach(() => {
  current = upstream
  model.asked.length = 0
  shop.received.length = 0
  shop.answer = (_, res) => json(res, { text: 'Done.' })
})

t.test('a call whose worker is stopped is made again by the same id, as it was', async (t) => {
  const { bot, noted } = await botWith()
  const calling = wordsAnew(inWords)
  model.answer = (res, asked) => (isCalled(asked) ? says(res, 'Refunded.') : calling(res))
  shop.answer = () => {}
  const stop = await worker()
  const asked = say(bot, 'My money, please')
  await until(() => shop.received.length === 1)
  await stop()
  t.match(await noted(), [{ status: 'unknown', answer: null, error: null, arguments: { why: 'reason 1' } }])
  shop.answer = (_, res) => json(res, { text: 'Done.' })
  await worker()
  t.equal((await asked).body.message.content, 'Refunded.')
  t.equal(shop.received.length, 2)
  t.equal(new Set(ids()).size, 1)
  t.same(shop.received[1]?.event.arguments, { why: 'reason 1' })
  const all = await noted()
  t.match(all, [{ status: 'ok', answer: '{"text":"Done."}' }])
  t.equal(all.length, 1)
})

t.test('an answer makes four calls at most over all its attempts and repeats', async (t) => {
  const { bot, action, noted } = await botWith()
  const calling = wordsAnew(inWords, 3)
  model.answer = (res, { body }) =>
    body.tool_choice === 'none' ? json(res, fault('no', { param: 'x' }), 400) : calling(res)
  const options = { headers: { 'idempotency-key': 'one' } }
  for (const _ of [1, 2]) t.equal((await say(bot, 'My money, please', {}, options)).status, 502)
  t.equal(shop.received.length, 4)
  t.equal(new Set(ids()).size, 4)
  t.equal((await noted()).length, 4)
  // After hours, their results are outdated.
  await db.query(sql.typeAlias('void')`
    update bots.action_calls set asked_at = now() - interval '1 hour' where action_id = ${action}`)
  await say(bot, 'My money, please', {}, options)
  t.equal(shop.received.length, 8)
  t.equal(new Set(ids()).size, 4)
  t.equal((await noted()).length, 4)
})

t.test('a call is checked and made by its action as it is then', async (t) => {
  const { bot, action, noted } = await botWith()
  model.answer = async (res, asked) => {
    if (isCalled(asked)) return says(res, asked.body.messages.at(-1).content)
    const parameters = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }
    await ask(`PATCH /v1/bots/${bot}/actions/${action}`, { body: { parameters, name: 'payback' } })
    wordsAnew(inWords)(res)
  }
  t.match((await say(bot, 'My money')).body.message.content, /arguments are invalid/)
  t.match(await noted(), [{ error: { code: 'bad_arguments' } }])
  t.equal(shop.received.length, 0)
})

t.test('arguments that are deep or long are told to be wrong, and neither kept nor sent back', async (t) => {
  const deep = `{"why":${'['.repeat(3_000)}${']'.repeat(3_000)}}`
  const long = JSON.stringify({ why: 'x'.repeat(300_000) })
  for (const given of [deep, long, JSON.stringify({ other: 1, why: {} })]) {
    const { bot, noted } = await botWith()
    model.answer = (res, asked) => {
      if (isCalled(asked)) return says(res, asked.body.messages.at(-1).content)
      wordsAnew(() => given)(res)
    }
    model.asked.length = 0
    t.match((await say(bot, 'My money')).body.message.content, /arguments are invalid/)
    t.match(await noted(), [{ arguments: null, error: { code: 'bad_arguments' } }])
    t.ok(JSON.stringify(model.asked.at(-1)?.body).length < 20_000)
  }
  t.equal(shop.received.length, 0)
})

t.test('an answer that is no text in UTF-8 is none', async (t) => {
  const { bot, noted } = await botWith()
  model.answer = (res, asked) => (isCalled(asked) ? says(res, 'So.') : wordsAnew(inWords)(res))
  for (const byte of [0xff, 0]) {
    shop.answer = (_, res) => res.end(Buffer.alloc(8_000, byte))
    await say(bot, 'My money')
  }
  t.match(await noted(), [
    { http_status: 200, answer: null, error: { code: 'bad_encoding' } },
    { answer: null, error: { code: 'bad_encoding' } },
  ])
})

t.test('a server that takes no tools is asked without, and the owner sees it once', async (t) => {
  const { bot, action, noted } = await botWith()
  const complaints = [{ param: 'tools' }, { param: 'tool_choice' }, {}]
  for (const more of complaints) {
    model.answer = (res, { body }) =>
      body.tools ? json(res, fault('some-model does not support tools', more), 400) : says(res, 'Without.')
    t.equal((await say(bot, 'My money')).body.message?.content, 'Without.', JSON.stringify(more))
  }
  const all = await noted()
  t.equal(all.length, 1)
  t.match(all, [{ status: 'failed', arguments: null, error: { code: 'tools_unsupported' } }])
  t.match((await ask(`GET /v1/bots/${bot}/actions/${action}`)).body.last_call, { error: /does not support tools/ })
  model.answer = (res) => json(res, fault('Your tool of a text is bad'), 400)
  t.equal((await say(bot, 'My money')).status, 502)
  model.asked.length = 0
  model.answer = (res) => json(res, fault('maximum context exceeded by messages and tools'), 400)
  t.equal((await say(bot, 'My money')).status, 400)
  t.equal(model.asked.length, 1, 'a text that is too long is not asked again')
})

t.test('a model that does nothing but call says what the bot says where it knows nothing', async (t) => {
  const { bot } = await botWith()
  model.answer = wordsAnew(inWords)
  const { body } = await say(bot, 'My money')
  t.match(body.message, { status: 'completed', content: 'I do not know that.' })
  t.equal(model.asked.length, 3)
})

t.test('an action whose server lets three calls running wait in vain is left alone', async (t) => {
  const { bot, action, noted } = await botWith()
  model.answer = (res, asked) => (isCalled(asked) ? says(res, 'So.') : wordsAnew(inWords)(res))
  await say(bot, 'My money')
  const [{ id }] = await noted()
  const timedOut = { status: 'failed', http_status: null, answer: null, ms: 10_000, timedOut: true } as const
  const ended = { id, ...timedOut, error: { code: 'timed_out', message: 'No complete response within 10000 ms.' } }
  for (const _ of [1, 2]) await calls.end(db, ended)
  await say(bot, 'My money')
  t.equal(shop.received.length, 2, 'two are no reason')
  for (const _ of [1, 2, 3]) await calls.end(db, ended)
  await say(bot, 'My money')
  t.equal(shop.received.length, 2)
  t.match((await ask(`GET /v1/bots/${bot}/actions/${action}`)).body.last_call, {
    error: /three calls in a row timed out/,
  })
  t.match((await noted())[0], { error: { code: 'paused' } })
  await db.query(sql.typeAlias('void')`
    update bots.actions set paused_until = now() - interval '1 second' where id = ${action}`)
  await say(bot, 'My money')
  t.equal(shop.received.length, 3, 'it is asked again')
  const timeouts = sql.type(z.object({ timeouts: z.number() }))`select timeouts from bots.actions where id = ${action}`
  t.equal(await db.oneFirst(timeouts), 0)
})

t.test('answers that may wait for actions leave half of the pool to others, whoever’s they are', (t) => {
  const { tryTake: take } = createActionSeats({ LLM_CONCURRENCY: 8 })
  const slot = take('one')
  t.ok(slot && take('one'))
  t.equal(take('one'), undefined, 'it has its share')
  t.ok(take('two') && take('two'))
  t.equal(take('three'), undefined)
  slot?.[Symbol.dispose]()
  t.ok(take('three'))
  t.ok(createActionSeats({ LLM_CONCURRENCY: 1 }).tryTake('one'))
  t.end()
})

t.test('a page shows the last calls, and gives another secret', async (t) => {
  const { bot, action } = await botWith({ ...refund, name: 'refund' })
  const org = await db.oneFirst(orgOf(bot))
  const [developer, viewer] = [await signedIn(db, url, org, 'developer'), await signedIn(db, url, org, 'viewer')]
  const path = `/app/bots/${bot}/actions/${action}`
  t.match((await get(url, path, developer)).text, /No calls yet/)
  model.answer = (res, asked) => (isCalled(asked) ? says(res, 'So.') : wordsAnew(inWords)(res))
  shop.answer = (_, res) => res.end('<b>Done.')
  await say(bot, 'My money')
  t.match((await get(url, path, developer)).text, /reason 1[\s\S]*&lt;b&gt;Done\./)
  t.match((await get(url, `/app/bots/${bot}/actions`, developer)).text, `href="${path}"`)
  t.match((await submit(url, path, developer, {})).text, /whsec_/)
  t.equal((await get(url, path, viewer)).status, 403)
  t.match((await get(url, `/app/bots/${bot}/actions/new`, developer)).text, /Add an action/)
})

t.test('an action takes nothing of a budget where the embedded engine answers', async (t) => {
  current = embedded
  const { bot } = await botWith({ ...refund, parameters: undefined, triggers: ['money'] })
  const org_id = await db.oneFirst(orgOf(bot))
  await budgets.put(db, { org_id, metric: 'ai.tokens', period: 'day', soft: null, hard: 40_000, alert_at: [] })
  t.equal((await say(bot, 'My money')).body.message?.content, 'Done.')
})
