import t from 'tap'
import { get, signedIn, submit } from '../app/fixture.ts'
import { verified } from '../email/sending.ts'
import { channelStack, stranger } from './channel-stack.ts'

t.setTimeout(120_000)
const stack = await channelStack(t, ['app', 'account', 'email'])
const { db, ingress } = stack
await stack.startWorkers()
const shop = await stack.connected()
const { orgId } = shop.number
await verified(db, orgId, 'shop.example')
const route = await shop.ask('POST /send/v1/inbound-routes', { body: { address: 'help@shop.example' } })
const [developer, viewer] = [
  await signedIn(db, ingress.url, orgId, 'developer'),
  await signedIn(db, ingress.url, orgId, 'viewer'),
]
const at = `/app/bots/${shop.bot}/channels`

t.test('a channel is added, changed, paused and deleted in the dashboard', async (t) => {
  const before = await get(ingress.url, at, developer)
  t.match(before.text, /WhatsApp[\s\S]*active/)
  t.match((await get(ingress.url, `${at}/new`, developer)).text, /Email: help@shop\.example/)
  const fields = {
    ...{ address: `email ${route.body.id}`, from_email: '', from_name: 'Shop <b>', silence_hours: '48' },
    ...{ hourly_limit: '10', unreadable_reply: 'Text only.', handover_reply: '' },
  }
  const bad = await submit(ingress.url, `${at}/new`, developer, { ...fields, silence_hours: 'many', hourly_limit: '0' })
  t.match(bad.text, /id="silence_hours-fault"[\s\S]*id="hourly_limit-fault"/)
  t.equal((await submit(ingress.url, `${at}/new`, developer, fields)).status, 303)
  const {
    data: [made],
  } = await shop.done(`GET /v1/bots/${shop.bot}/channels`)
  t.match(made, { kind: 'email', from_email: null, from_name: 'Shop <b>', silence_hours: 48, handover_reply: null })
  const one = `${at}/${made.id}`
  t.match((await get(ingress.url, one, developer)).text, /Shop &lt;b&gt;/)
  t.equal((await submit(ingress.url, one, developer, { ...fields, hourly_limit: '20' })).status, 303)
  const press = (what: string) => submit(ingress.url, `${one}/${what}`, developer, {})
  t.equal((await press('pause')).status, 303)
  t.match(await shop.done(`GET /v1/bots/${shop.bot}/channels/${made.id}`), { status: 'paused', hourly_limit: 20 })
  t.equal((await press('resume')).status, 303)
  t.equal((await press('remove')).status, 303)
  t.equal((await shop.done(`GET /v1/bots/${shop.bot}/channels`)).data.length, 1)
})

t.test('a viewer sees the channels and cannot change them', async (t) => {
  const list = await get(ingress.url, at, viewer)
  t.match(list, { status: 200, text: /WhatsApp/ })
  t.notMatch(list.text, /Pause/)
  t.equal((await get(ingress.url, `${at}/new`, viewer)).status, 403)
  t.equal((await get(ingress.url, `${at}/${shop.channel}`, viewer)).status, 403)
})

t.test('the inbox names the contact, and the thread shows what was delivered', async (t) => {
  const ada = stranger()
  await shop.hear({ from: ada, body: 'I need a human agent <script>' })
  const [{ conversation_id: id }] = await shop.settled(ada, 2)
  t.match((await get(ingress.url, '/app/bots/inbox', developer)).text, ada.slice(1))
  const page = await get(ingress.url, `/app/bots/inbox/${id}`, developer)
  t.match(page.text, /agent &lt;script&gt;/)
  t.match(page.text, />sent</)
  t.equal(
    (await submit(ingress.url, `/app/bots/inbox/${id}`, developer, { message: 'Hi', author: 'Jaan' })).status,
    303,
  )
  t.match((await shop.settled(ada, 3))[2], { author: 'Jaan', delivery: { status: 'sent' } })
  t.match((await get(ingress.url, `/app/bots/${shop.bot}/conversations/${id}`, developer)).text, ada.slice(1))
})
