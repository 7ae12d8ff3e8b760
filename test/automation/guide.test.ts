import './stack.ts'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { automating } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/automation/README.md')
const { ingress, owner } = await automating(t)
const { key } = await owner()

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: key,
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { name: 'Import invoices', state: 'enabled' },
      { matches: true, action: { body: { name: 'invoice.pdf' } } },
      { data: [] },
    ],
  )
  const made = steps.filter(({ language, out }) => language === 'sh' && out.includes('"action"'))
  t.ok(made.length >= 3)
  t.notMatch(steps.map(({ out }) => out).join(''), '"error":{')
})
