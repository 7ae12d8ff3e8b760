import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { block, readGuide, runSnippet, writeFacts } from '../support/guide.ts'
import { p8, pushStack, serviceAccount } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/push/README.md')
const stack = await pushStack(t)
await stack.startWorkers()
const folder = t.testdir()
await writeFacts(folder, { base_url: stack.ingress.url, keys: { push: stack.key } })
const start = block(guide, 'sh', 'dev.json')

t.test('the guide’s first message reaches its device', async (t) => {
  const said = await runSnippet(folder, start)
  t.match(said, { code: 0, err: '' })
  const [event = '', message = '', trace = ''] = said.out.replace('}{', '}\n{').trim().split('\n')
  t.match(event, /^data: \{.*"title":"Shipped"/)
  t.match(JSON.parse(message), { status: 'sent', counts: { devices: 1, sent: 1 } })
  t.match(JSON.parse(trace), { data: [{ status: 'sent' }] })
  t.match(
    await runSnippet(folder, start),
    { code: 0, err: '', out: /"title":"Shipped"/ },
    'again, with an app of its own',
  )
})

t.test('its credentials are taken', async (t) => {
  await writeFile(join(folder, 'AuthKey.p8'), p8)
  await writeFile(join(folder, 'service-account.json'), JSON.stringify(serviceAccount))
  const { code, err, out } = await runSnippet(folder, `${start}\n${block(guide, 'sh', 'AuthKey.p8')}`)
  t.match({ code, err }, { code: 0, err: '' })
  t.equal(out.match(/"check":"ok"/g)?.length, 2)
})

t.test('its receipt is taken, as the device’s or the server’s', async (t) => {
  const receipt = `public_key=$key\n${block(guide, 'sh', '/receipts')}`
  const { code, err, out } = await runSnippet(folder, `${start}\n${receipt}\necho\napi GET /messages/$message`)
  t.match({ code, err }, { code: 0, err: '' })
  t.match(JSON.parse(out.trim().split('\n').at(-1) ?? ''), { counts: { devices: 1, opened: 1 } })
})

t.test('its messages to many are taken, listed and cancelled, and a person removed', async (t) => {
  const { code, err, out } = await runSnippet(folder, `${start}\n${block(guide, 'sh', '/topics/news/subscribe')}`)
  t.match({ code, err }, { code: 0, err: '' })
  t.match(out, /"topic":"news","users":2,"installations":0/)
  t.match(out, /"tags":\["beta"\]/)
  t.match(out, /"data":\[\{[^\]]*"type":"topic"/)
  t.match(out, /"user_id":"user-19","installations":1,"deleted":true/)
})
