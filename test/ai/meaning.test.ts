import t, { type Test } from 'tap'
import type { ClassifyRequest, Label } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { polite, rude, tenantLabels, tenantLabelsWithExamples, tenantTickets } from './evaluation/blind.ts'
import { harmful, harmless } from './evaluation/posts.ts'
import { labels, labelsWithExamples, tickets, unrelated } from './evaluation/tickets.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const engine = createEmbeddedEngine()
const { ask } = await aiStack(t, engine)
const post = (path: string, body: unknown) => ask(`POST /v1/ai/${path}`, { body })
const never = new AbortController().signal

async function countRight(given: readonly Label[], of = tickets): Promise<number> {
  const input = of.map(([, text]) => text)
  const { status, body } = await post('classify', { input, labels: given })
  t.match([status, body], [200, { engine: 'embedded', model: 'use-lite-en' }])
  return of.filter(([label], i) => body.results[i].label === label).length
}

t.test('at least 22 of 30 tickets get their label by descriptions, and 25 by examples', async (t) => {
  t.equal(tickets.length, 30)
  const [described, shown] = [await countRight(labels), await countRight(labelsWithExamples)]
  t.ok(described >= 22, `${described} by descriptions`)
  t.ok(shown >= 25, `${shown} by examples`)
})

t.test(
  'of 20 tickets that nothing is tuned to, at least 13 get their label by descriptions, and 17 by examples',
  async (t) => {
    const described = await countRight(tenantLabels, tenantTickets)
    const shown = await countRight(tenantLabelsWithExamples, tenantTickets)
    t.ok(described >= 13 && shown >= 17, `${described} by descriptions, ${shown} by examples`)
  },
)

t.test('most texts that fit no label get none, and a margin refuses close calls', async (t) => {
  const { body } = await post('classify', { input: unrelated, labels })
  const none = body.results.filter((result: { label: string | null }) => result.label === null)
  t.ok(none.length >= 8, `${none.length} of 10`)
  const text = 'Who pays the postage if I send the chair back?'
  const open = (await post('classify', { text, labels })).body
  t.match(open, { method: 'meaning', language: 'en' })
  t.equal(open.margin, Math.round((open.labels[0].score - open.labels[1].score) * 1e4) / 1e4)
  const strict = (await post('classify', { text, labels, margin: 1 })).body
  t.match(strict, { label: null, low_confidence: true, labels: open.labels })
  t.equal((await post('classify', { text, labels, margin: 2 })).status, 400)
})

t.test('texts and labels of other languages are compared by words', async (t) => {
  const input = ['Wo bleibt mein Paket, die Lieferung ist zu spät?', 'I was charged twice on my invoice.']
  const german = [
    { name: 'Lieferung', description: 'Pakete und Lieferung' },
    { name: 'Rechnung', description: 'Geld und Zahlung' },
  ]
  const mixed = (await post('classify', { input, labels })).body
  t.match(mixed.results, [
    { method: 'words', language: 'de' },
    { method: 'meaning', language: 'en', label: 'billing' },
  ])
  const { body } = await post('classify', { input, labels: german })
  t.match(body, {
    model: 'embedded-lexical-1',
    results: [{ method: 'words', label: 'Lieferung' }, { method: 'words' }],
  })
})

t.test('without the model, words decide', async (t) => {
  const without = createEmbeddedEngine(false)
  t.teardown(() => without.close())
  t.equal(without.meaning, undefined)
  const request: ClassifyRequest = { input: ['I was charged twice'], labels, multiLabel: false }
  t.match(await without.classify(request, never), { model: 'embedded-lexical-1', results: [{ method: 'words' }] })
  const [result] = (await without.moderate(['I will kill you'], never)).results
  t.match([result?.flagged, result?.review], [true, undefined])
})

/** Returns the number of posts whose review score is at least 0.5. */
async function countReviewed(t: Pick<Test, 'equal'>, posts: readonly string[]): Promise<number> {
  let count = 0
  for (let from = 0; from < posts.length; from += 20) {
    const { body } = await post('moderate', { input: posts.slice(from, from + 20) })
    for (const { flagged, categories, review } of body.results) {
      if (review.score >= 0.5) count++
      t.equal(flagged, Object.values(categories).some(Boolean), 'only phrases flag')
    }
  }
  return count
}

t.test('the review score puts harmful posts first and flags nothing', async (t) => {
  const [found, wrong] = [await countReviewed(t, harmful), await countReviewed(t, harmless)]
  t.ok(found >= 30, `${found} of 40 harmful posts`)
  t.ok(wrong <= 6, `${wrong} of 40 harmless posts`)
  const [rudeFound, politeFound] = [await countReviewed(t, rude), await countReviewed(t, polite)]
  t.ok(rudeFound >= 18 && politeFound <= 6, `${rudeFound} of 20 and ${politeFound} of 20 that nothing is tuned to`)
})

t.test('other languages have no review score, phrases are flagged as before', async (t) => {
  const { body } = await post('moderate', {
    input: ['Ich werde dich heute Nacht umbringen.', 'I will kill you tonight', '🚢'],
  })
  t.match(body.results, [
    { flagged: true, review: { score: null, language: 'de', model: 'use-lite-en' } },
    { flagged: true, review: { language: 'en' } },
    { flagged: false },
  ])
  t.ok(body.results[1].review.score > 0.5)
})
