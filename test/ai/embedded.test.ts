import { existsSync } from 'node:fs'
import OpenAI from 'openai'
import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { get, signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const engine = createEmbeddedEngine()
const { db, ingress, orgId, key, ask } = await aiStack(t, engine, ['console'])
const post = (path: string, body: unknown) => ask(`POST /v1/ai/${path}`, { body })
const never = new AbortController().signal

const documents = [
  {
    id: 'refunds',
    title: 'Refunds',
    text: 'Dr. Smith wrote this.\nRefunds arrive within\n14 days of the return. Gifts are not refunded.',
  },
  {
    id: 'ship',
    url: 'https://shop.example/ship',
    text: 'Доставка в Эстонию стоит 4 €. Shipping to Estonia costs 4 €. 🚢 We never ship on Sundays.',
  },
]

t.test('an answer is made of quotes that stand where they say they do', async (t) => {
  for (const [question, id, quote] of [
    ['When do refunds arrive?', 'refunds', /^Refunds arrive within\s14 days of the return\.$/],
    ['Do you ship on Sundays?', 'ship', /^🚢 We never ship on Sundays\.$/],
    ['Сколько стоит доставка в Эстонию?', 'ship', /^Доставка в Эстонию стоит 4 €\.$/],
  ] as const) {
    const { status, body } = await post('answer', { question, documents })
    t.match(
      [status, body],
      [200, { answered: true, engine: 'embedded', model: /^(embedded-lexical-1|use-lite-en)$/, finish_reason: 'stop' }],
    )
    t.match(body.citations[0].quote, quote)
    for (const { document_id, quote, start, end } of body.citations) {
      t.equal(documents.find(({ id }) => id === document_id)?.text.slice(start, end), quote)
    }
    t.equal(body.citations[0].document_id, id)
    t.equal(body.usage.total_tokens, body.usage.prompt_tokens + body.usage.completion_tokens)
  }
})

t.test('what the documents do not say is not answered, nor is anything without them', async (t) => {
  for (const body of [{ documents }, {}]) {
    const reply = await post('answer', { question: 'Who is the president of France?', ...body })
    t.match(reply.body, { answered: false, answer: '', citations: [], confidence: null, language: null })
  }
  const cut = await post('answer', {
    question: 'When do refunds arrive?',
    context: 'Refunds arrive soon.',
    max_tokens: 2,
    language: 'en',
  })
  t.match(cut.body, {
    answer: 'Refunds',
    finish_reason: 'length',
    language: 'en',
    citations: [{ document_id: 'context', start: 0, end: 7 }],
  })
})

t.test('a summary is made of the sentences that are most central, where they stand', async (t) => {
  const text = `The harbour opens at six. Ships bring timber to the harbour every morning. The timber is sold at the harbour market.
A cat sleeps. Buyers of timber come to the harbour market from far away. It rained.`
  const { body } = await post('summarize', { text, max_sentences: 2, format: 'bullets' })
  t.match(body.summary, /^- .*timber.*\n- .*timber.*$/)
  t.equal(body.input_characters, text.length)
  for (const { text: sentence, start, end, rank_score } of body.sentences) {
    t.equal(text.slice(start, end), sentence)
    t.ok(rank_score > 0 && rank_score <= 1)
  }
  const focused = await post('summarize', { text, max_sentences: 1, focus: 'the cat' })
  t.equal(focused.body.summary, 'A cat sleeps.')
  const again = await post('summarize', { text, length: 'short' })
  t.same((await post('summarize', { text, length: 'short' })).body, again.body, 'the same text has the same summary')
})

t.test('a text has the label it is most like; one that is like none has none', async (t) => {
  const labels = [
    { name: 'billing', description: 'invoices, payments and refunds' },
    { name: 'shipping', examples: ['where is my parcel'] },
    'account_login',
  ]
  const input = ['I was charged twice on my invoice', 'My parcel is not here', 'I cannot login', 'Hello there']
  const { body } = await post('classify', { input, labels })
  t.same(
    body.results.map(({ label }: { label: string }) => label),
    ['billing', 'shipping', 'account_login', null],
  )
  t.equal(body.results[3].low_confidence, true)
  const one = await post('classify', { text: input[0], labels, multi_label: true, threshold: 0.3 })
  t.match(one.body, { label: 'billing', low_confidence: false, engine: 'embedded' })
  t.equal(one.body.results, undefined)
})

t.test('OpenAI’s own SDK, pointed here, has its moderation', async (t) => {
  const client = new OpenAI({ baseURL: `${ingress.url}/v1/ai`, apiKey: key, maxRetries: 0 })
  const moderation = await client.moderations.create({
    model: 'omni-moderation-latest',
    input: [
      'I will kill you tonight',
      'The cockpit of Dick Cheney’s plane',
      'You are a w0rthless idiot',
      'sh1t',
      'I want to kill myself',
    ],
  })
  t.match(moderation.id, /^modr-/)
  t.same(
    moderation.results.map(({ flagged }) => flagged),
    [true, false, true, false, true],
  )
  const [threat] = moderation.results
  t.ok(threat?.categories['harassment/threatening'] && threat.categories.violence)
  t.equal(Object.keys(threat?.category_scores ?? {}).length, 13)
  t.same(threat?.category_applied_input_types.violence, ['text'])
  const parts = await client.moderations.create({
    input: [
      { type: 'text', text: 'I will' },
      { type: 'text', text: 'kill you' },
    ],
  })
  t.equal(parts.results.length, 1)
  await t.rejects(client.moderations.create({ input: '' }), { status: 400, code: 'bad_request' })
})

const long = 'a'.repeat(100_001)
const two = ['a', 'b']
const many = <Value>(length: number, of: (i: number) => Value) => Array.from({ length }, (_, i) => of(i))
const noText = ['', ' \n\t', 'a\u0007b', long, 5, null, ['a'], {}, true]
const noInput = [
  ...noText.slice(0, 4),
  5,
  null,
  {},
  [],
  [''],
  ['a', 3],
  many(33, () => 'a'),
  [{ type: 'text' }],
  [[1, 2]],
]
const image = { type: 'image_url', image_url: { url: 'https://a.example' } }
const document = (more: object) => ({ documents: [{ id: 'a', text: 'b', ...more }] })

/** Operation, valid part of a body, invalid field, and its invalid values. */
const bad: [string, object, string, unknown[]][] = [
  ['answer', {}, 'question', [undefined, 'a'.repeat(4_001), ...noText]],
  ['answer', { question: 'a' }, 'context', noText],
  ['answer', { question: 'a' }, 'documents', [[], {}, 'a', 3, null, many(21, (i) => ({ id: `${i}`, text: 'a' }))]],
  ['answer', { question: 'a', context: 'b' }, 'documents', [[{ id: 'a', text: 'b' }]]],
  [
    'answer',
    { question: 'a' },
    'documents',
    [many(2, () => ({ id: 'a', text: 'b' })), many(2, (i) => ({ id: `${i}`, text: long.slice(2) }))],
  ],
  ['answer', { question: 'a', ...document({ id: undefined }) }, 'documents.0.id', [undefined]],
  ['answer', { question: 'a', ...document({ text: ' ' }) }, 'documents.0.text', [undefined]],
  ['answer', { question: 'a', ...document({ url: 'javascript:alert(1)' }) }, 'documents.0.url', [undefined]],
  ['answer', { question: 'a', ...document({ titel: 'x' }) }, 'documents.0.titel', [undefined]],
  ['answer', { question: 'a' }, 'language', ['', 'not a tag', 'e', 'en_US', 7, 'x'.repeat(36)]],
  ['answer', { question: 'a' }, 'max_tokens', [0, -1, 2_049, 1.5, '5', null]],
  ['answer', { question: 'a' }, 'temperature', [-0.1, 2.1, '1', null]],
  ['summarize', {}, 'text', [undefined, '\ud800', 'a\u0000', ...noText]],
  ['summarize', { text: 'a' }, 'length', ['tiny', 3, null]],
  ['summarize', { text: 'a' }, 'max_sentences', [0, 21, 1.5, 'a']],
  ['summarize', { text: 'a', length: 'short' }, 'max_sentences', [2]],
  ['summarize', { text: 'a' }, 'format', ['html', 1, null]],
  ['summarize', { text: 'a' }, 'focus', ['', ' ', 4, 'a'.repeat(501)]],
  [
    'classify',
    { text: 'a' },
    'labels',
    [undefined, [], ['a'], ['a', 'a'], ['a', { name: 'a' }], 'a', {}, many(51, (i) => `${i}`)],
  ],
  ['classify', { labels: two }, 'text', [undefined, ...noText]],
  ['classify', { text: 'a', labels: ['a', { name: 'b', weight: 1 }] }, 'labels.1', [undefined]],
  ['classify', { text: 'a', labels: ['a', ''] }, 'labels.1', [undefined]],
  ['classify', { labels: two, text: 'a', input: ['a'] }, 'text', ['a']],
  ['classify', { labels: two }, 'input', [[], 'a', {}, many(33, () => 'a'), [long.slice(1), 'b'], ['a', ''], ['a', 5]]],
  ['classify', { text: 'a', labels: two }, 'threshold', [-0.1, 1.1, 'a']],
  ['classify', { text: 'a', labels: two }, 'multi_label', ['yes', 1, null]],
  ['moderate', {}, 'input', [undefined, [image], ['a', { type: 'text', text: 'b' }], ...noInput]],
  ['moderations', {}, 'input', [undefined, [image], ...noInput]],
  ['moderate', { input: 'a' }, 'modle', ['b']],
]

t.test('bad input is answered 400, with the field at fault', async (t) => {
  t.ok(bad.flatMap(([, , , values]) => values).length >= 110)
  for (const [path, good, field, values] of bad) {
    for (const value of values) {
      const reply = await post(path, value === undefined ? good : { ...good, [field]: value })
      const what = `${path} ${field} ${JSON.stringify(value)?.slice(0, 40)}: ${reply.text.slice(0, 200)}`
      t.equal(reply.status, 400, what)
      const named = reply.status === 400 && reply.body.error.details ? fieldsOf(reply) : []
      t.ok(
        named.some((name) => name.startsWith(`body.${field}`)),
        what,
      )
    }
  }
  const several = await post('answer', { question: '', max_tokens: 0, language: '?', x: 1 })
  t.same(fieldsOf(several), ['body.language', 'body.max_tokens', 'body.question', 'body.x'])
  const headers = { 'content-type': 'application/json' }
  for (const path of ['answer', 'summarize', 'classify', 'moderate']) {
    for (const raw of ['[]', 'null', '7', '"a"', '', '{', '{"input":"a","input":"b"}', new Uint8Array([0xff, 0xfe])]) {
      t.equal((await ask(`POST /v1/ai/${path}`, { headers, raw })).status, 400, `${path} ${raw}`)
    }
  }
  t.equal((await ask('POST /v1/ai/answer', { raw: 'a', headers: { 'content-type': 'text/plain' } })).status, 415)
  t.equal((await ask('POST /v1/ai/answer', { headers, raw: JSON.stringify('a'.repeat(1_100_000)) })).status, 413)
})

t.test('texts that are as long and odd as they may be are worked on', async (t) => {
  for (const text of [
    'a. '.repeat(33_000),
    'x'.repeat(100_000),
    `${'so it is '.repeat(9_000)}!`,
    '🚢'.repeat(50_000),
    '\n'.repeat(9_000) + 'a'.repeat(9),
  ]) {
    t.equal((await post('summarize', { text })).status, 200)
    t.equal((await post('moderate', { input: text })).status, 200)
    t.equal((await post('answer', { question: text.trim().slice(0, 3_000), context: text })).status, 200)
  }
})

t.test('usage is counted by organisation and month, and a budget that is spent refuses work', async (t) => {
  const [free] = (await plans.list(db)).filter(({ name }) => name === 'free')
  await plans.put(db, {
    ...(free as plans.Plan),
    name: 'tight',
    monthly_tokens: 20,
    key_burst: 1e9,
    org_requests_per_minute: 1e9,
  })
  const { keys } = await testOrg(db, ['ai:invoke'], { plan: 'tight' })
  const own = { key: keys.main }
  const unused = await ask('GET /v1/ai/usage', own)
  t.match(unused.body, { tokens: 0, budget: 20, remaining: 20, operations: [] })
  const first = await ask('POST /v1/ai/moderate', { ...own, body: { input: 'a'.repeat(120) } })
  t.match(first.body, { usage: { prompt_tokens: 30, completion_tokens: 0, total_tokens: 30 } })
  const refused = await ask('POST /v1/ai/summarize', { ...own, body: { text: 'a' } })
  t.match(
    [refused.status, refused.body.error],
    [429, { code: 'token_budget_exceeded', details: { limit: 'monthly_tokens', max: 20, used: 30 } }],
  )
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  const spent = await ask('GET /v1/ai/usage', own)
  t.match(spent.body, {
    month: /^\d{4}-\d\d$/,
    tokens: 30,
    remaining: 0,
    operations: [{ operation: 'moderate', requests: 1, failed: 0, total_tokens: 30 }],
  })
  t.ok(Date.parse(spent.body.resets_at) > Date.now())
  t.equal(
    (await ask('POST /v1/ai/moderate', { key, body: { input: 'a' } })).status,
    200,
    'others have budgets of their own',
  )
  await db.query(sql.typeAlias('void')`update ai.usage set day = day - 40 where prompt_tokens = 30`)
  t.equal((await ask('GET /v1/ai/usage', own)).body.tokens, 0, 'a new month begins with nothing spent')
})

t.test('no text stays in the record of its run', async (t) => {
  await post('summarize', { text: 'A most secret sentence.' })
  t.equal(
    await db.oneFirst(
      sql.unsafe`select count(*)::int from jobs.runs where result::text like '%most secret%' or envelope::text like '%most secret%'`,
    ),
    0,
  )
  const { keys } = await testOrg(db, ['files:read'])
  t.equal((await ask('POST /v1/ai/moderate', { key: keys.main, body: { input: 'a' } })).status, 403)
})

t.test('work of the engine that is aborted ends at once; the work behind it goes on', async (t) => {
  const gone = new AbortController()
  const request = {
    text: Array.from({ length: 3_000 }, (_, i) => `Word${i % 37} and word${i % 41} meet.`).join(' '),
    sentences: 3,
    format: 'paragraph' as const,
  }
  const aborted = engine.summarize(request, gone.signal)
  gone.abort(new Error('gone'))
  await t.rejects(aborted, { message: 'gone' })
  t.match(await engine.moderate(['a'], never), { results: [{ flagged: false }] })
})

t.test('a conversation is answered from the documents, or with the fallback', async (t) => {
  const deltas: string[] = []
  const talk = { system: 'You are a shop.', documents, fallback: 'I do not know.', maxTokens: 100 }
  const say = (...contents: string[]) =>
    engine.chat({ ...talk, messages: contents.map((content) => ({ role: 'user', content })) }, never, (text) =>
      deltas.push(text),
    )
  const reply = await say('Hello', 'When do refunds arrive?')
  t.match(reply, { content: /^Refunds arrive/, citations: [{ document_id: 'refunds' }], finish_reason: 'stop' })
  t.same(deltas, [reply.content])
  t.match(await say('What does shipping to Estonia cost?', 'And how much is that?'), { content: /Estonia/ })
  t.match(await say('Who are you?'), { content: 'I do not know.', citations: [] })
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
t.test('the page AI tells who spends what, and how requests end', { skip }, async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into ai.usage (org_id, day, operation, outcome, requests, prompt_tokens, completion_tokens)
    select ${orgId}, (now() at time zone 'utc')::date - n, 'answer', o, 40 - n + length(o), 900 + 70 * (n % 5), 80
    from generate_series(1, 25) as n, unnest(array['done', 'upstream_error']) as o`)
  await db.query(sql.typeAlias('void')`update account.orgs set name = 'Shop <b>' where id = ${orgId}`)
  const { url } = ingress
  const cookie = await signIn({ db, url, key, orgId })
  const { text, status } = await get(url, '/ops/ai?span=x', cookie)
  t.equal(status, 200)
  t.match(text, 'Shop &lt;b&gt;')
  t.match(text, /<code>upstream_error<\/code>/)
  const { page, errors } = await watchedPage(await startBrowser(t))
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url }])
  await page.goto(`${url}/ops/ai?span=30d`)
  t.equal(await page.locator('figure.plot').count(), 2)
  await keepPicture(page, 'console-ai.png')
  t.same(errors, [])
})
