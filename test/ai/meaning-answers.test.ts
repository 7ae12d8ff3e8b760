import t from 'tap'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { helpCentre, unanswerable } from '../knowledge/help-centre.ts'
import { library, unansweredByLibrary } from '../knowledge/library.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const { ask } = await aiStack(t, createEmbeddedEngine())
const documents = helpCentre.slice(0, 20).map(({ title, text }) => ({ id: title, title, text }))
const answerTo = async (question: string, given: readonly object[] = documents) =>
  (await ask('POST /v1/ai/answer', { body: { question, documents: given } })).body

t.test('a question is answered by the meaning of a sentence, with its quote', async (t) => {
  const answer = await answerTo('What is the fee for shipping?')
  t.match(answer, {
    ...{ answered: true, model: 'use-lite-en', engine: 'embedded', suggestions: [] },
    citations: [{ document_id: 'Delivery costs' }],
  })
  t.equal(answer.confidence, answer.score)
  const [{ start, end, quote }] = answer.citations
  t.equal(documents.find(({ id }) => id === 'Delivery costs')?.text.slice(start, end), quote)
})

t.test(
  'an answer that is not sure has up to three suggestions, and unanswerable questions mostly have none',
  async (t) => {
    const counts = { right: 0, wrong: 0, helpful: 0, unanswerable: 0 }
    for (const { paraphrase, title } of helpCentre.slice(0, 20)) {
      const { answered, answer, citations, suggestions } = await answerTo(paraphrase)
      t.equal(answered, answer !== '')
      t.ok(suggestions.length <= 3 && (!answered || suggestions.length === 0))
      if (answered) counts[citations[0].document_id === title ? 'right' : 'wrong']++
      else if (suggestions.some(({ document_id }: { document_id: string }) => document_id === title)) counts.helpful++
    }
    for (const question of unanswerable) if ((await answerTo(question)).answered) counts.unanswerable++
    const { right, wrong, helpful } = counts
    t.ok(right >= 4 && wrong <= 3 && right + helpful >= 8 && counts.unanswerable <= 4, JSON.stringify(counts))
  },
)

t.test('articles that nothing is tuned to are seldom quoted wrongly', async (t) => {
  const given = library.map(({ title, text }) => ({ id: title, title, text }))
  const counts = { wrong: 0, shared: 0, unanswerable: 0 }
  for (const { paraphrase, shared, title } of library) {
    const { answered, citations } = await answerTo(paraphrase, given)
    if (answered && citations[0].document_id !== title) counts.wrong++
    if ((await answerTo(shared, given)).citations[0]?.document_id === title) counts.shared++
  }
  for (const question of unansweredByLibrary) if ((await answerTo(question, given)).answered) counts.unanswerable++
  t.ok(counts.wrong <= 3 && counts.shared >= 19 && counts.unanswerable <= 2, JSON.stringify(counts))
})

t.test('a question or documents in another language are compared by words', async (t) => {
  const german = [{ id: 'a', text: 'Die Lieferung nach Riga kostet sieben Euro und dauert drei Tage.' }]
  const answer = await answerTo('Wie lange dauert die Lieferung nach Riga?', german)
  t.match(answer, { answered: true, model: 'embedded-lexical-1', score: null })
  t.match(await answerTo('How long is the delivery?', german), { answered: false, score: null, suggestions: [] })
})

t.test('the time of a request is bounded, however long its documents and sentences are', async (t) => {
  const question = 'When will I get my cash returned?'
  const refund = 'We pay the money back to the card that you used within ten days.'
  const filler = (i: number) => `The harbour of town number ${i} is open to all of the boats. `
  const many = Array.from({ length: 20 }, (_, n) => ({
    id: `${n}`,
    text: Array.from({ length: 80 }, (_, i) => filler(n * 80 + i))
      .join('')
      .slice(0, 4_900),
  }))
  for (const [name, given] of [
    ['one sentence of 32 KB', [{ id: 'a', text: `the ${'boat and the '.repeat(2_500)}` }]],
    ['one word of 32 KB', [{ id: 'a', text: `It is the ${'x'.repeat(32_000)}` }]],
    ['20 documents of many sentences', many],
    ['sentences of a word', [{ id: 'a', text: 'It is. '.repeat(14_000) }]],
    ['unpaired surrogates', [{ id: 'a', text: `The price is \u0041 and it is of ${'🙂'.repeat(5_000)}` }]],
  ] as const) {
    const begun = performance.now()
    const { status, body } = await ask('POST /v1/ai/answer', { body: { question, documents: given } })
    t.equal(status, 200, `${name}: ${JSON.stringify(body).slice(0, 200)}`)
    t.ok(performance.now() - begun < 30_000, `${name}: ${performance.now() - begun} ms`)
  }
  const found = await answerTo(question, [...many.slice(1), { id: 'refund', title: 'Refunds', text: refund }])
  t.match([...found.citations, ...found.suggestions], [{ document_id: 'refund' }], 'first sentences are compared')
})
