import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/rooms/README.md')

t.test('the calls of the guide work', async (t) => {
  const { ingress, key, ask } = await videoStack(t)
  const sections = ['Quickstart', 'Change room settings', 'Use a waiting room', 'Broadcast and record a room']
  const run = { folder: t.testdir(), baseUrl: ingress.url, apiKey: key, sections }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js', 'python'], oneOfEach: true })
  t.ok(steps.length > 10)
  const { data } = (await ask('GET /v1/stream/rooms')).body
  t.match(data.at(-1), { name: 'Weekly planning', layout: 'speaker', waitingRoom: true })
})
