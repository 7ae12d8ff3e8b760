import type { ServerResponse } from 'node:http'
import t from 'tap'
import { readConfig } from '#lib/config.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { createBreaker } from '../../workers/llm/upstream/breaker.ts'
import { testOrg } from '../support/ingress.ts'
import { json, modelServer, says } from '../support/model-server.ts'
import { until } from '../support/until.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const fake = await modelServer(t)
const settings = { AI_ENGINE: 'upstream', AI_BASE_URL: fake.url, AI_MODEL: 'the-model', LLM_CONCURRENCY: '4' }
const engines = { current: createLanguageEngine(readConfig({ ...settings, AI_TIMEOUT_MS: '60000', AI_RETRIES: '0' })) }
const { db, ingress } = await aiStack(
  t,
  {
    ...engines.current,
    seat: (orgId) => engines.current.seat?.(orgId) ?? null,
  },
  ['account'],
)
const orgKey = async () => (await testOrg(db, ['ai:invoke'])).keys.main
const summarize = (key: string, text: string) => ingress.ask('POST /v1/ai/summarize', { key, body: { text } })

t.test('what hangs for one organisation leaves half of the seats to others', async (t) => {
  const held: ServerResponse[] = []
  let open = false
  fake.answer = (res, { body }) => {
    if (!open && JSON.stringify(body).includes('slow')) held.push(res)
    else says(res, { sentences: ['Done.'] })
  }
  const [slow, other] = [await orgKey(), await orgKey()]
  const many = Array.from({ length: 10 }, () => summarize(slow, 'slow'))
  await until(async () => held.length === 2, { what: 'the share is taken' })
  for (let i = 0; i < 5; i++) t.equal((await summarize(other, 'quick')).status, 200)
  t.equal(held.length, 2, 'no third of the one’s is sent')
  open = true
  for (const res of held) says(res, { sentences: ['Done.'] })
  const answers = await Promise.all(many)
  t.same([...new Set(answers.map(({ status }) => status))], [200], 'all are answered in their turn')
})

t.test('what its asker leaves gives the rest of its budget back, and costs what it has likely cost', async (t) => {
  const { org, keys } = await testOrg(db, ['ai:invoke', 'account:read', 'account:write'])
  const key = keys.main
  const put = await ingress.ask('PUT /v1/account/budgets/ai.tokens', { key, body: { hard: 40_000 } })
  t.equal(put.status, 200)
  const used = async (): Promise<number> => {
    const { body } = await ingress.ask('GET /v1/account/usage', { key })
    return body.data.find((one: { metric: string }) => one.metric === 'ai.tokens').used
  }
  const reserved = async () => (await budgets.findSpent(db, org.id, 'ai.tokens'))?.used ?? 0
  fake.asked.length = 0
  fake.answer = () => {}
  const text = 'word '.repeat(4_000)
  for (let n = 1; n <= 3; n++) {
    const gone = new AbortController()
    const asking = ingress
      .ask('POST /v1/ai/summarize', { key, body: { text }, signal: gone.signal })
      .catch((error: Error) => error.name)
    await until(async () => fake.asked.length === n, { what: `the model is asked (${n})` })
    t.ok((await reserved()) >= 20_000, 'while it works, the most it may cost is reserved')
    gone.abort()
    t.equal(await asking, 'AbortError')
    await until(async () => (await reserved()) < 20_000, { what: 'what was reserved is given back' })
  }
  const spent = await used()
  t.ok(spent >= 15_000 && spent < 20_000, `what was read is charged: ${spent}`)
  t.equal(await reserved(), spent, 'nothing stays reserved')
  fake.answer = (res) => says(res, { sentences: ['Done.'] })
  t.equal((await summarize(key, 'short')).status, 200)
})

t.test('what hangs for all is found out once, and then refused at once with the time to come again', async (t) => {
  engines.current = createLanguageEngine(readConfig({ ...settings, AI_TIMEOUT_MS: '200', AI_RETRIES: '0' }))
  fake.answer = () => {}
  fake.asked.length = 0
  const [first, second, third] = [await orgKey(), await orgKey(), await orgKey()]
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await summarize(first, 'a')
    t.same([status, headers.get('retry-after')], [502, null])
  }
  t.equal(fake.asked.length, 3)
  const refused = await summarize(first, 'a')
  t.match(refused, { status: 502, body: { error: { code: 'upstream_error', details: { retryable: true } } } })
  t.match(refused.headers.get('retry-after'), /^[1-5]$/)
  t.equal(fake.asked.length, 3, 'nothing is sent')
  t.equal(
    (await summarize(second, 'a')).headers.get('retry-after'),
    null,
    'it might have been what the first one asked',
  )
  t.equal(fake.asked.length, 4)
  for (const key of [second, third]) t.match((await summarize(key, 'a')).headers.get('retry-after'), /^[1-5]$/)
  t.equal(fake.asked.length, 4)
})

t.test('a server that answers 500 is left alone, too; other problems of its are answers', async (t) => {
  engines.current = createLanguageEngine(readConfig({ ...settings, AI_TIMEOUT_MS: '5000', AI_RETRIES: '1' }))
  const key = await orgKey()
  fake.answer = (res) => json(res, {}, 400)
  for (let i = 0; i < 4; i++) t.equal((await summarize(key, 'a')).status, 502)
  fake.asked.length = 0
  fake.answer = (res) => json(res, {}, 500)
  for (let i = 0; i < 3; i++) t.equal((await summarize(key, 'a')).status, 502)
  t.equal(fake.asked.length, 3, 'the second try of the second request is the last that is sent')
})

t.test(
  'after a pause one request tries; what becomes of it closes the circuit or opens it for twice as long',
  async (t) => {
    let now = 0
    const breaker = createBreaker(80_000, () => now)
    const send = (asker: string, ending?: 'worked' | 'failed' | 'unreachable') => breaker.enter(asker)(ending)
    const wait = (asker: string): number => {
      try {
        breaker.check(asker)
        return 0
      } catch (error) {
        return (error as { retryAfter: number }).retryAfter
      }
    }
    for (const ending of ['failed', 'failed', 'worked', 'failed', 'failed'] as const) send('a', ending)
    t.equal(wait('a'), 0, 'three in a row open it')
    send('a', 'failed')
    t.same([wait('a'), wait('b')], [5, 0])
    now = 5_000
    const trying = breaker.enter('a')
    t.equal(wait('a'), 80, 'one tries')
    trying('failed')
    t.equal(wait('a'), 10)
    now = 15_000
    breaker.enter('a')()
    t.equal(wait('a'), 0, 'whose caller went away has told nothing')
    send('a', 'worked')
    for (let i = 0; i < 2; i++) send('a', 'failed')
    t.equal(wait('a'), 0, 'closed as if new')
    send('b', 'unreachable')
    t.same([wait('a'), wait('b'), wait('c')], [5, 5, 5], 'out of reach, it is so for all')
    now = 20_000
    send('c', 'worked')
    t.same([wait('a'), wait('c')], [0, 0])
  },
)
