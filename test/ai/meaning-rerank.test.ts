import t from 'tap'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { helpCentre } from '../knowledge/help-centre.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const { ask } = await aiStack(t, createEmbeddedEngine())
const rerank = async (query: string, documents: readonly string[]) =>
  (await ask('POST /v1/ai/rerank', { body: { query, documents } })).body

interface Ranked {
  index: number
  relevance_score: number
}

t.test('documents without a word of the query are ranked by their meaning', async (t) => {
  const { results, engine, model } = await rerank('How long does it take to get my money back?', [
    'Our office is in Vienna.',
    'Refunds arrive within 14 days.',
    'Ships sail.',
  ])
  t.same([engine, model], ['embedded', 'use-lite-en'])
  t.equal(results[0].index, 1)
  t.ok(results[0].relevance_score > results[1].relevance_score + 0.1, JSON.stringify(results))
  t.ok(results.every(({ relevance_score: score }: Ranked) => score >= 0 && score <= 1))
})

t.test('more than half of the paraphrased questions find their article', async (t) => {
  const articles = helpCentre.slice(0, 20)
  const texts = articles.map(({ title, text }) => `${title}. ${text}`)
  let found = 0
  for (const [i, { paraphrase }] of articles.entries()) {
    const { results } = await rerank(paraphrase, texts)
    if (results.slice(0, 3).some(({ index }: Ranked) => index === i)) found++
  }
  t.ok(found > articles.length / 2, `${found} of ${articles.length}`)
})

t.test('other languages are ranked by words', async (t) => {
  const documents = ['Schiffe fahren auf dem Meer.', 'Die Rückerstattung dauert 14 Tage.']
  const { results } = await rerank('Wie lange dauert die Rückerstattung?', documents)
  t.match(results, [{ index: 1 }, { index: 0, relevance_score: 0 }])
  const mixed = await rerank('refund', ['Die Rückerstattung dauert bis zu vierzehn Tage und ist kostenlos.'])
  t.equal(mixed.results[0].relevance_score, 0)
})
