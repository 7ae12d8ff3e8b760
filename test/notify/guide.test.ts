import t from 'tap'
import { block, readGuide, runSnippet, writeFacts } from '../support/guide.ts'
import { notifying, notifyWorker } from './people.ts'

t.setTimeout(120_000)
const guide = await readGuide('ingress/notify/README.md')
const { databaseUrl, ingress, teller } = await notifying(t)
const one = await teller({ domain: 'shop.example' })
await notifyWorker(t, databaseUrl)
const folder = t.testdir()
await writeFacts(folder, { base_url: ingress.url, keys: { platform: one.key } })
const first = block(guide, 'sh', 'dev.json')

/** The answers of a snippet, which stand one behind the other. */
const answersOf = (out: string): unknown[] =>
  out
    .trim()
    .replaceAll('}{', '}\n{')
    .split('\n')
    .map((line) => JSON.parse(line))

t.test('the guide’s first event, people, workflow and marks are as it says', async (t) => {
  const snippets = [first, block(guide, 'sh', 'PUT /v1/notify/people'), block(guide, 'sh', 'PUT /v1/notify/workflows')]
  const said = await runSnippet(folder, [...snippets, block(guide, 'sh', '/inbox/marks')].join('\n'))
  t.match(said, { code: 0, err: '' })
  t.match(answersOf(said.out), [
    { type: 'order.shipped', chosen_by: 'default' },
    { data: [{}] },
    { unread_count: 1 },
    { marked: 1 },
    { user_id: 'customer-17', locale: 'de-AT' },
    { type: '*', channels: ['in_app', 'email'] },
    { chosen_by: 'product', channels: [{ used: true }, { used: true }, { used: false }] },
    { version: 0 },
    { version: 1, locale: 'en' },
    { version: 1, published_version: 1 },
    { chosen_by: 'workflow' },
    { data: [{ workflow: 'order-shipped', state: 'waiting' }] },
    { marked: 2, unseen_count: 0 },
    { unread_count: 2, unseen_count: 0 },
    { data: [] },
  ])
})
