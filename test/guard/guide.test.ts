import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { guardStack } from './stack.ts'

t.setTimeout(240_000)

t.test('every call of the guide works as shown', async (t) => {
  const { ingress, key, stock } = await guardStack(t)
  await stock(1)
  const guide = await readGuide('ingress/guard/README.md')
  const steps = await runGuide(guide, { folder: t.testdir(), baseUrl: ingress.url, apiKey: key })
  t.match(
    steps.flatMap(({ json }) => json ?? []),
    [
      { site_key: /^bt_site_/ },
      { token: String },
      { valid: true, action: 'sign-up' },
      { valid: false, reason: 'replayed' },
    ],
  )
})
