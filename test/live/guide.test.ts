import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { liveStack } from '../support/live-stack.ts'
import { runGuide } from '../support/run-guide.ts'
import { videoStack } from '../support/video-stack.ts'

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

t.test('the guides of the chat and of scheduled broadcasts run as written', async (t) => {
  const stack = await videoStack(t)
  const { channelId } = (await stack.ask('POST /v1/stream/live/channels', { body: { name: 'Stage' } })).body
  const replace = { '0198f1c2-7f00-7000-8000-000000000001': channelId }
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key, replace }
  const chat = await runGuide(await readGuide('ingress/live/CHAT.md'), run)
  t.match(chat.at(-1)?.json?.data, [{ text: 'We start in five minutes.' }, { text: '', deletedBy: 'organisation' }])
  const schedule = await runGuide(await readGuide('ingress/live/SCHEDULE.md'), run)
  t.match(schedule.at(-1)?.json, { deleted: true })
})
