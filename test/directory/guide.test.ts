import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)

t.test('every call of the guide works as shown', async (t) => {
  const { ingress, ours, asset } = await directoryStack(t)
  await asset({ visibility: 'private', poster: false })
  const guide = await readGuide('ingress/directory/README.md')
  const steps = await runGuide(guide, { folder: t.testdir(), baseUrl: ingress.url, apiKey: ours.keys.main })
  const responses = steps.flatMap(({ json }) => json ?? [])
  t.match(responses, [
    { data: [{}] },
    { handle: 'railways' },
    { visibility: 'public' },
    { data: [{ type: 'video' }] },
    { title: 'The first steam engines' },
    { title: 'How railways began', visibility: 'public' },
    { visibility: 'unlisted' },
  ])
})
