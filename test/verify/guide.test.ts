import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { verifyStack } from './stack.ts'

t.setTimeout(240_000)

t.test('the examples of the guide run as written', async (t) => {
  const stack = await verifyStack(t)
  await stack.startWorkers()
  const run = { folder: t.testdir(), baseUrl: stack.url, apiKey: stack.keys.live }
  const guide = await readGuide('ingress/verify/README.md')
  const steps = await runGuide(guide, { ...run, languages: ['sh'] })
  t.equal(steps.length, 8)
  await stack.codeTo('ann@rcpt.example')
  for (const language of ['js', 'python']) {
    const [sent] = await runGuide(guide, { ...run, languages: [language] })
    t.match(sent?.out, /^[0-9a-f-]{36} 20/, language)
  }
})
