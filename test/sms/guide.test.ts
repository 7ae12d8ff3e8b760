import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { smsStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/sms/README.md')
const { ingress, key, startWorkers } = await smsStack(t)
await startWorkers()

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: key,
    sections: [
      ...['Before you start', 'Quickstart', 'Connect a provider', 'Use another provider', 'Allow countries'],
      ...['Respect opt-outs', 'Receive messages'],
    ],
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { to: '+3725550101', status: 'queued' },
      { to: '+3725550101', direction: 'outbound' },
      { kind: 'twilio', inbound_url: /\/inbound$/ },
      { kind: 'http' },
      { countries: ['EE', 'FI'] },
      { phone: '+3725550199' },
      { data: [] },
    ],
  )
})
