import type { ServerResponse } from 'node:http'
import t from 'tap'
import { z } from 'zod'
import { readConfig } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { fault, json, modelServer, says } from '../support/model-server.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const fake = await modelServer(t)
const settings = {
  AI_ENGINE: 'upstream',
  AI_BASE_URL: fake.url,
  AI_MODEL: 'the-model',
  AI_TIMEOUT_MS: '60000',
  AI_RETRIES: '0',
}
const open = (more: Record<string, string> = {}) => {
  const engine = createLanguageEngine(readConfig({ ...settings, ...more }))
  t.teardown(() => engine.close())
  return engine
}
const engines = { summarizing: open() }
const rest = open()
const { db, ask } = await aiStack(t, {
  ...rest,
  seat(orgId) {
    const seat = rest.seat?.(orgId)
    const summarize: typeof rest.summarize = (...work) => engines.summarizing.summarize(...work)
    return seat ? { ...seat, engine: { ...seat.engine, summarize } } : null
  },
})
const never = new AbortController().signal
const post = (path: string, body: unknown) => ask(`POST /v1/ai/${path}`, { body })

const text = 'Refunds arrive within\n14 days of the return. The shop said: "Keep the receipt (always)."'
const documents = [
  { id: 'other', text: 'Nothing of use.' },
  { id: 'refunds', title: 'Refunds', text },
]
const question = { question: 'When do refunds arrive?', documents }
const quotes = (...all: string[]) => all.map((quote) => ({ document_id: 'refunds', quote }))

/** Answers requests in order. The last answer is used for all further requests. */
function inTurn(...answers: ((res: ServerResponse) => void)[]): void {
  fake.asked.length = 0
  fake.answer = (res) => (answers.length > 1 ? answers.shift() : answers[0])?.(res)
}

t.test('quotes are looked up in the documents, and those that stand nowhere are dropped', async (t) => {
  inTurn((res) =>
    says(res, {
      answered: true,
      answer: 'Within 14 days.',
      quotes: [
        ...quotes('Refunds arrive within 14 days', 'Refunds are instant', 'the receipt (always)', 'of'),
        { document_id: 'other', quote: 'of the return' },
      ],
    }),
  )
  const { status, body } = await post('answer', { ...question, language: 'en', temperature: 0.5, max_tokens: 64 })
  t.match(
    [status, body],
    [200, { answered: true, answer: 'Within 14 days.', engine: 'upstream', model: 'the-model', language: 'en' }],
  )
  t.same(
    body.citations.map(({ quote }: { quote: string }) => quote),
    ['Refunds arrive within\n14 days', 'the receipt (always)', 'of the return'],
  )
  for (const { document_id, quote, start, end } of body.citations)
    t.same([document_id, text.slice(start, end)], ['refunds', quote])
  t.same(body.usage, { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 })
  const [sent] = fake.asked
  t.equal(sent?.path, '/v1/chat/completions')
  t.equal(sent?.headers.authorization, undefined, 'an empty key is not sent')
  t.match(sent?.body, { model: 'the-model', temperature: 0.5, response_format: { type: 'json_schema' } })
})

t.test('what does not fit is repaired once; a model without a literal quote has not answered', async (t) => {
  const good = { answered: true, answer: 'Within 14 days.', quotes: quotes('within\n14 days of the return') }
  inTurn(
    (res) => says(res, 'I think it is {soon}.'),
    (res) => says(res, `<think>{"answered": 1}</think>Here you are: ${JSON.stringify(good)} Bye {}`),
  )
  const repaired = await post('answer', question)
  t.match(repaired.body, { answered: true, answer: 'Within 14 days.', usage: { total_tokens: 220 } })
  t.match(fake.asked[1]?.body.messages.at(-1).content, /That does not do/)
  inTurn((res) => says(res, { ...good, quotes: quotes('It takes a fortnight') }))
  t.match((await post('answer', question)).body, { answered: false, answer: '', citations: [] })
  t.equal(fake.asked.length, 2)
  inTurn((res) => says(res, { answered: false, answer: 'no idea', quotes: [] }))
  t.match((await post('answer', question)).body, { answered: false, answer: '', citations: [] })
  t.equal(fake.asked.length, 1)
  inTurn((res) => says(res, { answered: true, answer: 'Paris.' }))
  t.match((await post('answer', { question: 'Capital of France?' })).body, {
    answered: true,
    answer: 'Paris.',
    citations: [],
  })
})

t.test('summaries and labels are what the model says, in our shape', async (t) => {
  inTurn((res) => says(res, { sentences: ['One\nthing.', ' ', 'Two.', 'Three.'] }))
  t.match((await post('summarize', { text: 'a', max_sentences: 2, format: 'bullets' })).body, {
    summary: '- One thing.\n- Two.',
    sentences: null,
  })
  const scores = [
    { label: 'b', score: 1.7 },
    { label: 'z', score: 1 },
  ]
  inTurn(
    (res) => says(res, { results: [] }),
    (res) => says(res, { results: [{ scores }] }),
  )
  const { body } = await post('classify', { text: 'a', labels: ['a', 'b'] })
  t.match(body, {
    label: 'b',
    labels: [
      { label: 'b', score: 1 },
      { label: 'a', score: 0 },
    ],
    low_confidence: false,
  })
})

t.test('a refusal is an answer that is none, and no summary', async (t) => {
  for (const answer of [
    (res: ServerResponse) => says(res, '', { refusal: 'I cannot help with that secret.' }),
    (res: ServerResponse) => json(res, { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] }),
  ]) {
    inTurn(answer)
    const refused = await post('answer', question)
    t.match([refused.status, refused.body], [200, { answered: false, answer: '', finish_reason: 'content_filter' }])
    const summary = await post('summarize', { text: 'a' })
    t.match([summary.status, summary.body.error], [400, { code: 'content_refused' }])
    t.notMatch(summary.text, /secret/)
  }
})

const secret = 'the words of the upstream'
const drip = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":')
const faults: [string, (res: ServerResponse) => void, number, string, object?][] = [
  [
    '429',
    (res) => json(res, fault(secret), 429, { 'retry-after': '3600' }),
    502,
    'upstream_error',
    { upstream_status: 429, retryable: true },
  ],
  ['500', (res) => json(res, fault(secret), 500), 502, 'upstream_error', { upstream_status: 500, retryable: true }],
  [
    '503 in HTML',
    (res) => res.writeHead(503, { 'content-type': 'text/html' }).end(secret),
    502,
    'upstream_error',
    { upstream_status: 503, retryable: true },
  ],
  ['401', (res) => json(res, fault(secret), 401), 502, 'upstream_error', { upstream_status: 401, retryable: false }],
  ['404', (res) => json(res, fault(secret), 404), 502, 'upstream_error', { upstream_status: 404, retryable: false }],
  ['400', (res) => json(res, fault(secret), 400), 502, 'upstream_error', { upstream_status: 400, retryable: false }],
  [
    'too long',
    (res) => json(res, fault(`${secret}: 987654321 tokens`, { code: 'context_length_exceeded' }), 400),
    400,
    'input_too_long',
  ],
  [
    'too long, as vLLM says it',
    (res) => json(res, fault(`This model's maximum context length is 8 tokens; ${secret}`), 400),
    400,
    'input_too_long',
  ],
  [
    'a redirect',
    (res) => res.writeHead(302, { location: `${fake.url}/${secret.replaceAll(' ', '')}` }).end(),
    502,
    'upstream_error',
    { upstream_status: 302, retryable: false },
  ],
  [
    'HTML',
    (res) => res.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${secret}`),
    502,
    'upstream_error',
    { upstream_status: 200, retryable: true },
  ],
  [
    'no JSON',
    (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(`{${secret}`),
    502,
    'upstream_error',
    { retryable: true },
  ],
  ['an empty object', (res) => json(res, {}), 502, 'upstream_error', { upstream_status: 200 }],
  ['nothing', (res) => res.writeHead(204).end(), 502, 'upstream_error', { upstream_status: 200 }],
  [
    'garbage in the message, twice',
    (res) => says(res, secret),
    502,
    'upstream_error',
    { upstream_status: 200, retryable: true },
  ],
  ['5 MB', (res) => says(res, 'a'.repeat(5_000_000)), 502, 'upstream_error', { upstream_status: null }],
  ['a broken connection', (res) => res.destroy(), 502, 'upstream_error', { upstream_status: null, retryable: true }],
  ['silence', () => {}, 502, 'upstream_error', { upstream_status: null, retryable: true }],
  ['silence within the body', drip, 502, 'upstream_error', { upstream_status: null, retryable: true }],
]

t.test('every fault of the upstream has its problem, without its words', async (t) => {
  const [patient, impatient] = [engines.summarizing, open({ AI_TIMEOUT_MS: '1000' })]
  t.teardown(() => {
    engines.summarizing = patient
  })
  for (const [name, answer, status, code, details] of faults) {
    engines.summarizing = name.startsWith('silence') ? impatient : patient
    inTurn(answer)
    const reply = await post('summarize', { text: 'a' })
    t.match(
      [reply.status, reply.body.error],
      [status, { code, ...(details && { details: { provider: 'upstream', ...details } }) }],
      name,
    )
    t.notMatch(reply.text, /words of the upstream|987654321/, name)
    t.ok(fake.asked.length === (name.endsWith('twice') ? 2 : 1), `${name}: ${fake.asked.length} requests`)
  }
  const { body } = await ask('GET /v1/ai/usage')
  t.ok(
    body.operations.find(({ operation }: { operation: string }) => operation === 'summarize').failed >= faults.length,
  )
  const kept = await db.anyFirst(sql.type(z.object({ error: z.string().nullable() }))`select error from jobs.runs`)
  t.notMatch(kept.join(), /words of the upstream/)
})

t.test('an upstream that is away or not named is told from one that fails', async (t) => {
  const request = { question: 'a', documents: [], maxTokens: 10 }
  const away = open({ AI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` })
  await t.rejects(away.answer(request, never), { code: 'upstream_error', upstreamStatus: null, retryable: true })
  const unnamed = createLanguageEngine(readConfig({ AI_ENGINE: 'upstream' }))
  await t.rejects(unnamed.moderate(['a'], never), { code: 'provider_not_configured' })
})

t.test('a fault that passes is tried again, and parameters that a server does not know are left out', async (t) => {
  const engine = open({ AI_RETRIES: '1', AI_API_KEY: 'a key' })
  const request = { question: 'a', documents: [], maxTokens: 10 }
  inTurn(
    (res) => json(res, fault(secret), 500, { 'retry-after-ms': '1' }),
    (res) => says(res, { answered: true, answer: 'Yes.' }),
  )
  t.match(await engine.answer(request, never), { answer: 'Yes.' })
  t.equal(fake.asked[0]?.headers.authorization, 'Bearer a key')
  inTurn(
    (res) => json(res, fault("'response_format' is not supported"), 400),
    (res) => json(res, fault('Use max_completion_tokens', { param: 'max_tokens', code: 'unsupported_parameter' }), 400),
    (res) => says(res, { answered: true, answer: 'Yes.' }),
  )
  t.match(await engine.answer(request, never), { answer: 'Yes.' })
  t.match(await engine.answer(request, never), { answer: 'Yes.' })
  t.equal(fake.asked.length, 4)
  t.match(fake.asked[3]?.body, { max_completion_tokens: Number, max_tokens: undefined, response_format: undefined })
})

t.test('moderation is the upstream’s; where it has none, the lexicon’s', async (t) => {
  inTurn((res) =>
    json(res, {
      model: 'm-1',
      results: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }],
    }),
  )
  const judged = await post('moderate', { input: 'a' })
  t.match(judged.body, {
    engine: 'upstream',
    model: 'm-1',
    results: [{ flagged: true, categories: { violence: true, hate: false } }],
  })
  inTurn((res) => json(res, { results: [] }))
  t.match((await post('moderate', { input: 'a' })).body.error, { code: 'upstream_error' })
  inTurn((res) => json(res, fault(secret), 404))
  t.match((await post('moderate', { input: 'I will kill you' })).body, {
    engine: 'embedded',
    results: [{ flagged: true }],
  })
  t.match((await post('moderate', { input: 'a' })).body, { engine: 'embedded' })
  t.equal(fake.asked.length, 1, 'it is not asked again for a while')
})

t.test('a client that goes away ends the work, and the request to the upstream with it', async (t) => {
  inTurn(() => {})
  const gone = new AbortController()
  const reply = ask('POST /v1/ai/summarize', { body: { text: 'a' }, signal: gone.signal }).catch(() => 'gone')
  await until(() => fake.asked.length === 1)
  gone.abort()
  t.equal(await reply, 'gone')
  await fake.asked[0]?.closed
  const state = () =>
    db.oneFirst(sql.type(z.object({ state: z.string() }))`select state from jobs.runs order by created_at desc limit 1`)
  await until(async () => (await state()) === 'cancelled')
})

const stream = (res: ServerResponse, ...pieces: (string | object)[]) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) {
    const chunk = typeof piece === 'string' ? { choices: [{ delta: { content: piece } }] } : piece
    res.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  return res
}

t.test('a conversation is streamed as it comes, and cites what it quotes', async (t) => {
  const engine = open()
  const talk = {
    system: 'Be kind.',
    messages: [{ role: 'user' as const, content: 'When?' }],
    documents,
    fallback: 'I do not know.',
    maxTokens: 50,
  }
  const told: string[] = []
  const say = () => engine.chat(talk, never, (delta) => told.push(delta))
  const end = { choices: [{ delta: {}, finish_reason: 'stop' }] }
  inTurn((res) => {
    stream(
      res,
      '<thi',
      'nk>hm, "of the return"</think>',
      '\n',
      'It says “Refunds arrive ',
      'within 14 days” and "never".',
      end,
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    )
    res.end('data: [DONE]\n\n')
  })
  const reply = await say()
  t.match(reply, {
    content: 'It says “Refunds arrive within 14 days” and "never".',
    engine: 'upstream',
    finish_reason: 'stop',
    usage: { total_tokens: 10 },
  })
  t.same(told, ['It says “Refunds arrive ', 'within 14 days” and "never".'])
  t.match(reply.citations, [{ document_id: 'refunds', quote: 'Refunds arrive within\n14 days' }])
  t.equal(reply.citations.length, 1)
  for (const answer of [
    (res: ServerResponse) => stream(res, 'It sa'),
    (res: ServerResponse) => stream(res, 'It sa').destroy(),
    (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>no'),
    (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {no\n\n'),
    (res: ServerResponse) => stream(res, { choices: 'x' }).end(),
    (res: ServerResponse) => json(res, fault(secret), 500),
  ]) {
    inTurn(answer)
    await t.rejects(say(), { code: 'upstream_error' })
  }
  inTurn((res) => stream(res, { choices: [{ delta: { refusal: secret }, finish_reason: 'stop' }] }).end())
  t.match(await say(), { content: 'I do not know.', finish_reason: 'content_filter' })
  inTurn((res) => says(res, 'Plainly "of the return".'))
  t.match(await engine.chat(talk, never), {
    content: 'Plainly "of the return".',
    citations: [{ quote: 'of the return' }],
  })
})
