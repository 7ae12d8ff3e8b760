import t from 'tap'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { createReview } from '../../workers/llm/embedded/review.ts'
import type { ClosableMeaningModel } from '../../workers/llm/meaning/model.ts'
import { createMeaningModel } from '../../workers/llm/meaning/model.ts'
import { aiStack } from './stack.ts'

t.setTimeout(120_000)

const never = new AbortController().signal

const facts = { name: 'use-lite-en', language: 'en', dimensions: 512 } as const

/** A model whose files cannot be loaded. */
const broken: ClosableMeaningModel = {
  ...facts,
  embed: async () => {
    throw new LanguageEngineError('upstream_error', 'The embedded sentence model failed: It failed.', {
      retryable: true,
      engine: 'embedded',
    })
  },
  close: async () => {},
}

const labels = [
  { name: 'billing', description: 'Invoices, charges and refunds' },
  { name: 'delivery', description: 'Parcels, shipping and arrival' },
]

t.test('if the model fails, words decide, and the response shows it', async (t) => {
  const { ask } = await aiStack(t, createEmbeddedEngine(true, broken))
  const input = ['There are two charges on the invoice', 'The parcel has no arrival date']
  const classified = await ask('POST /v1/ai/classify', { body: { input, labels } })
  t.equal(classified.status, 200, classified.text)
  t.match(classified.body, {
    model: 'embedded-lexical-1',
    results: [
      { method: 'words', label: 'billing', language: 'en' },
      { method: 'words', label: 'delivery' },
    ],
  })
  const moderated = await ask('POST /v1/ai/moderate', {
    body: { input: ['I will kill you', 'Good morning to all of you'] },
  })
  t.equal(moderated.status, 200, moderated.text)
  t.match(moderated.body.results, [
    { flagged: true, review: null },
    { flagged: false, review: null },
  ])
  const documents = [{ id: 'refunds', text: 'Refunds arrive within 14 days of the return.' }]
  const answered = await ask('POST /v1/ai/answer', { body: { question: 'When do refunds arrive?', documents } })
  t.match(answered.body, { answered: true, method: 'words', score: null })
})

t.test('a model that does not respond delays a rating only for a time', async (t) => {
  const hanging = { ...facts, embed: (_: readonly string[], signal: AbortSignal) => aborted(signal) }
  t.same(await createReview(hanging, 50)(['I will find you tonight'], never), [])
  await t.rejects(createReview(hanging, 60_000)(['I will find you tonight'], AbortSignal.abort(new Error('gone'))), {
    message: 'gone',
  })
})

/** Waits until the signal is aborted. The timer keeps the process running, as the connections of a worker do. */
async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted()
  const timer = setInterval(() => {}, 1_000)
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return await promise.finally(() => clearInterval(timer))
}

t.test('a request with very many and very long examples reads few of them', async (t) => {
  let characters = 0
  const counting: ClosableMeaningModel = {
    ...broken,
    embed: async (texts) => {
      characters += texts.reduce((sum, { length }) => sum + length, 0)
      return texts.map(() => new Float32Array(512).fill(1 / Math.sqrt(512)))
    },
  }
  const engine = createEmbeddedEngine(true, counting)
  t.teardown(() => engine.close())
  const example = 'The customer asked about the invoice that arrived late. '.repeat(18).slice(0, 1_000)
  const many = Array.from({ length: 50 }, (_, i) => ({
    name: `label ${i}`,
    description: example,
    examples: Array.from({ length: 20 }, () => example),
  }))
  const input = Array.from({ length: 32 }, () => example.repeat(3))
  const { results } = await engine.classify({ input, labels: many, multiLabel: false }, never)
  t.equal(results[0]?.method, 'meaning')
  t.ok(characters <= 60_000, `${characters} characters`)
})

t.test('a question waits for one batch, however many large calls run', async (t) => {
  const model = createMeaningModel()
  t.teardown(() => model.close())
  await model.embed(['loaded'], never)
  const given = new AbortController()
  const ended: string[] = []
  const large = Array.from({ length: 6 }, (_, n) =>
    model
      .embed(
        Array.from({ length: 32 }, (_, i) => `Parcel ${i} of customer ${n} arrived late and was damaged.`),
        given.signal,
      )
      .then(() => ended.push('large')),
  )
  await model.embed(['How do I reset my password?'], never)
  ended.push('question')
  await Promise.all(large)
  t.ok(ended.indexOf('question') <= 1, ended.join())
})
