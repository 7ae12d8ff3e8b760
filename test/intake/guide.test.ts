import '../support/work-environment.ts'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { intakeStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/intake/README.md')
const { ingress, key } = await intakeStack(t)

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: key,
    sections: [
      ...['Before you start', 'Quickstart', 'Forward webhooks to your server', 'Forward webhooks again'],
      ...['Pause a source', 'Replace a secret or a URL'],
    ],
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { url: /\/in\/[0-9A-Za-z]{43}$/ },
      { id: /-/ },
      { data: [{ event_id: 'evt_1', status: 'stored' }] },
      { forward: { timeout: 10 } },
      { replay_id: /-/ },
      { status: 'paused' },
      { status: 'resuming' },
      { has_secret: true },
    ],
  )
})
