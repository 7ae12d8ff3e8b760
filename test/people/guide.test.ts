import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { erasureWorker, peopleStack } from './people.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/people/README.md')
const stack = await peopleStack(t)
const one = await stack.house()

t.test('every call of the guide works as shown', async (t) => {
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: one.keys.main }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js', 'python'] })
  const responses = steps.flatMap((step) => (step.language === 'sh' && step.json) || [])
  t.match(responses, [
    { user_id: 'user-17', name: 'Ann' },
    { email: { state: 'granted' }, push: { state: 'none' } },
    { emails: [{ verified: true }], contacts: [{ linked_by: 'user_id' }] },
    { data: [{ user_id: 'user-17' }] },
    { data: [] },
    { data: [{ channel: 'email', evidence: { form: 'v3' } }] },
    { user_id: 'user-17', reason: 'request of the person' },
    { objects: { left: 0 } },
  ])
  await erasureWorker(t, stack)
})
