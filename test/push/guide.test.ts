import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { isWhole } from '../support/sample.ts'
import { p8, pushStack, serviceAccount } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/push/README.md')
const stack = await pushStack(t)
await stack.startWorkers()
const folder = t.testdir()
await writeFile(join(folder, 'AuthKey.p8'), p8)
await writeFile(join(folder, 'service-account.json'), JSON.stringify(serviceAccount))
const run = { folder, baseUrl: stack.ingress.url, apiKey: stack.key }

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, run)
  const responsesOf = (heading: string) => steps.flatMap((step) => (step.heading === heading && step.json) || [])
  const [, , message, event, status, trace] = responsesOf('Quickstart')
  t.match(message, { status: 'queued' })
  t.match(event, { title: 'Shipped', data: { order: '4711' } })
  t.match(status, { status: 'sent', counts: { devices: 1, sent: 1, failed: 0 } })
  t.match(trace, { data: [{ status: 'sent' }] })
  for (const heading of ['Set up APNs (iPhone and iPad)', 'Set up FCM (Android)'])
    t.match(responsesOf(heading), [{ check: 'ok' }], heading)
  t.match(responsesOf('Receive tokens on your server'), [{ push_provider: 'apns', status: 'active' }])
  t.match(responsesOf('Link anonymous devices to users'), [
    { user_id: null },
    { user_id: 'user-19' },
    { user_id: 'user-19', installations: 1, deleted: true },
  ])
  t.match(responsesOf('Send to a topic'), [{ topic: 'news', users: 2, installations: 0 }, { status: 'queued' }])
  t.match(responsesOf('Send to a segment or to everyone'), [{ tags: ['beta'] }, { status: 'queued' }])
  t.match(responsesOf('Schedule or cancel a message'), [{ status: 'scheduled' }, { status: 'cancelled' }])
  t.match(responsesOf('Use a template'), [{ variables: ['order'] }, { status: 'queued' }])
  t.match(responsesOf('Report receipts'), [{ status: 'delivered' }])
  t.match(responsesOf('Receive webhooks'), [{ secret: /^whsec_/ }])
  const { body } = await stack.ask(`GET /push/v1/messages/${message.id}`)
  t.match(body, { counts: { devices: 1, opened: 1 } })
})

t.test('its examples for Node and Python work', async (t) => {
  const steps = await runGuide(guide, {
    ...run,
    languages: ['sh', 'js', 'python'],
    sections: isWhole
      ? ['Quickstart', 'Receive tokens on your server', 'Send to a topic', 'Report receipts']
      : ['Quickstart'],
  })
  const ran = (language: string) => steps.filter((step) => step.language === language).length
  if (isWhole) t.match({ js: ran('js'), python: ran('python') }, { js: 7, python: 7 })
  else t.ok(ran('js') > 0 && ran('python') > 0)
})
