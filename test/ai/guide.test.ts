import t from 'tap'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/ai/README.md')
const { ingress, key } = await aiStack(t, createEmbeddedEngine())

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: key,
    sections: [
      ...['Before you start', 'Quickstart', 'Summarise a text', 'Classify text', 'Moderate text', 'Rank documents'],
      'Vector stores',
    ],
    languages: ['sh', 'js', 'python'],
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { answered: true, citations: [{ quote: 'Refunds arrive within 14 days.', start: 0, end: 30 }] },
      { operations: [{ operation: 'answer', failed: 0 }] },
      { summary: 'Ships bring timber to the harbour.', input_characters: 90 },
      { label: 'billing', low_confidence: false },
      { results: [{ flagged: false }, { flagged: true }] },
      { results: [{ index: 1 }], engine: 'embedded' },
      { name: 'Help centre', expires_after: { days: 30 } },
      { status: 'completed' },
      { data: [{ filename: 'refunds.md' }] },
    ],
  )
  const clients = steps.filter(({ language }) => language !== 'sh')
  t.equal(clients.length, 2)
  for (const { language, out } of clients) t.match(out, /Refunds arrive within 14 days/, language)
})
