import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { trustStack } from './stack.ts'

t.setTimeout(240_000)

t.test('every call of the guide works as shown', async (t) => {
  const stack = await trustStack(t)
  await stack.startWorker()
  stack.web.at.demo = 'malware.example\n'
  await stack.put('demo')
  await stack.imported('demo')
  const guide = await readGuide('ingress/trust/README.md')
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: stack.ingress.url,
    apiKey: stack.key,
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
    sections: ['Quickstart', 'Follow redirects', 'Check many URLs', 'Watch URLs', 'Allow or deny hosts'],
  })
  t.match(
    steps.flatMap(({ json }) => json ?? []),
    [
      { verdict: 'malicious', reasons: [{ code: 'credentials_in_url' }] },
      { verdict: 'unknown' },
      { results: [{ verdict: 'malicious' }, { verdict: 'unknown' }] },
      { url: 'https://partner.example/downloads', note: 'our reseller' },
      { watches: [{}, {}] },
      { deleted: true },
      { hostname: 'partner.example', policy: 'allow' },
    ],
  )
})
