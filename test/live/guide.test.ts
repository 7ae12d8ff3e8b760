import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { liveStack } from '../support/live-stack.ts'
import { runGuide } from '../support/run-guide.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/live/README.md')

t.test('the broadcast of the guide can be watched and ended', async (t) => {
  const stack = await liveStack(t)
  await stack.startLive()
  const sections = [
    'Quickstart',
    'Offer lower qualities',
    'Restream to other platforms',
    'End a broadcast',
    'Rotate a stream key',
  ]
  // The media server of a test listens on a port of its own.
  const replace = { $RTMP_URL: `rtmp://127.0.0.1:${stack.port}/live` }
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key, replace }
  const steps = await runGuide(guide, { ...run, sections, languages: ['sh', 'js', 'python'], oneOfEach: true })
  const states = steps.filter(({ heading }) => heading === 'Quickstart').flatMap(({ json }) => json?.state ?? [])
  t.same(states, ['live'])
  t.match(steps.at(-1)?.json, { which: 'primary', streamKey: /^live_/ })
})
