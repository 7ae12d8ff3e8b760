import t from 'tap'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { isWhole } from '../support/sample.ts'
import { notifying, notifyWorker } from './people.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/notify/README.md')
const { databaseUrl, ingress, teller } = await notifying(t)
const one = await teller({ domain: 'shop.example' })
await notifyWorker(t, databaseUrl)

/** True for examples that run on a server; the others are for pages. */
const isForServer = ({ code }: { code: string }) => !code.includes('EventSource(')

/** True for all shell examples, and for the first one in each other language. */
const isChosen = ({ code, language }: { code: string; language: string }) => {
  if (!isForServer({ code }) || ran.has(language)) return false
  if (language !== 'sh' && !isWhole) ran.add(language)
  return true
}
const ran = new Set<string>()

t.test('every call of the guide works as shown', async (t) => {
  const folder = t.testdir()
  const run = { folder, baseUrl: ingress.url, apiKey: one.key }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js', 'python'], only: isChosen })
  const responses = steps.flatMap((step) => (step.language === 'sh' && step.json) || [])
  t.match(responses, [
    { type: 'order.shipped', chosen_by: 'default', channels: [{ channel: 'in_app', used: true }], deduplicated: false },
    { data: [{ title: 'Your order is on its way', read_at: null }] },
    { unread_count: 1 },
    { marked: 1, unread_count: 0 },
    { user_id: 'customer-17', locale: 'de-AT' },
    { type: '*', channels: ['in_app', 'email'] },
    { chosen_by: 'product', channels: [{ used: true }, { used: true }, { used: false }] },
    { version: 0 },
    { version: 1, locale: 'en' },
    { version: 1, published_version: 1 },
    { chosen_by: 'workflow' },
    { workflow: 'order-shipped', state: 'waiting', steps: [{ state: 'done' }, { state: 'waiting' }] },
    { kind: 'slack', state: 'unverified', default: true },
    { marked: 2, unseen_count: 0 },
    { unread_count: 2, unseen_count: 0 },
    { data: [] },
    { url: /\/v1\/notify\/stream\?/ },
  ])
})
