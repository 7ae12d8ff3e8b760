import '../support/webhooks-environment.ts'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { article, evidenceStack, filler } from './evidence-stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/wiki/README.md')
const stack = await evidenceStack(t)
await stack.startWorkers()
stack.pages['/'] = article(['Example Domain', filler])

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: stack.base.ingress.url,
    apiKey: stack.keys.main,
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
    replace: { 'https://example.com/': stack.url('/') },
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { status: 'draft', version: 1 },
      { publisher: 'IANA' },
      { status: 'pending' },
      { status: 'ok', http_status: 200 },
      { type: 'domain' },
      { status: 'supported' },
      { status: 'published', published_version: 2, evidence: { claims: 1, supported: 1 } },
      { error: { code: 'version_conflict', details: { version: 2 } } },
      { data: [{ version: 2 }, { version: 1 }] },
      { review: 'none' },
      { data: [{ highlights: { excerpt: /<mark>documents<\/mark>/ } }] },
    ],
  )
})
