import t from 'tap'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { verified } from '../email/sending.ts'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/bots/README.md')
const { db, ingress, key, orgId, startWorkers } = await botsStack(
  t,
  createEmbeddedEngine(),
  ['email'],
  [...['bots:write', 'email:manage', 'email:send']],
)
await verified(db, orgId, 'example.com')
await startWorkers()

t.test('every call of the guide works as shown', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: key,
    languages: ['sh', 'js', 'python'],
  })
  t.match(
    steps.flatMap((step) => (step.language === 'sh' && step.json) || []),
    [
      { status: 'draft', version: 1 },
      { title: 'Returns', characters: 65 },
      { message: { content: 'Bicycles can be returned within thirty days.', citations: [{ start: 0, end: 44 }] } },
      { message: { content: 'Repairs take a week.' } },
      { data: [{ seq: 1, role: 'user' }, { seq: 2 }, { seq: 3 }, { seq: 4 }], has_more: false },
      { status: 'pending', refresh_hours: 24 },
      { refresh_hours: 24 },
      { name: 'order_status', secret: /^whsec_/ },
      { data: [] },
      { reason: 'requested', waits: true },
      { author: 'Mari' },
      { closed: false },
      { address: 'help@example.com' },
      { kind: 'email', status: 'active', address: 'help@example.com', silence_hours: 48 },
      { name: 'Refund', color: 'orange' },
      { labels: [{ name: 'Refund' }] },
      { shortcut: 'refund' },
      { data: [{ rendered: 'Hello there, your refund is on its way.' }] },
      { time_zone: 'Europe/Vienna', asks_email: true },
      { score: 5, assignee_id: null },
      { data: [{ ratings: 1, average: 5 }] },
      { data: [] },
      { status: 'published' },
    ],
  )
  const clients = steps.filter(({ language, out }) => language !== 'sh' && out !== '')
  t.equal(clients.length, 4)
  for (const { language, out } of clients.slice(2)) t.match(out, /thirty days/, language)
})
