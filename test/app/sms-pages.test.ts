import '../support/chat-environment.ts'
import t from 'tap'
import * as optOuts from '#sql/sms/opt-outs.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { accountSid, authToken, sender, signingSecret, smsStack } from '../sms/stack.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await smsStack(t)
const { db } = stack
await stack.startWorkers()
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'sms', 'notify'],
  services: [provide(services.signingSecret, signingSecret)],
})

const placeOf = (reply: { headers: Headers }) => (reply.headers.get('location') ?? '').split('?')[0] as string

t.test('a developer connects a provider, sends a message and sees the answer; a viewer sees no text', async (t) => {
  const { org } = await testOrg(db, [])
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  t.match((await get(url, '/app/sms', viewer)).text, 'No provider is connected')
  t.notMatch((await get(url, '/app/sms', viewer)).text, 'Connect a provider')
  const form = { name: 'Twilio', from: sender, per_second: '100', account_sid: 'AC1', auth_token: authToken }
  const refused = await submit(url, '/app/sms/providers/new?kind=twilio', developer, form)
  t.match(refused, { status: 400, text: /id="account_sid-fault"/ })
  t.notMatch(refused.text, authToken, 'a secret is never shown again')
  const made = await submit(url, '/app/sms/providers/new?kind=twilio', developer, { ...form, account_sid: accountSid })
  t.equal(made.status, 303)
  const provider = await get(url, placeOf(made), viewer)
  t.match(provider.text, /stored encrypted.*callbacks\/[\w-]+\/inbound/s)
  t.notMatch(provider.text, authToken)
  const faulty = await submit(url, '/app/sms/send', developer, { to: '555', text: 'Hi' })
  t.match(faulty, { status: 400, text: /id="to-fault"/ })
  const sent = await submit(url, '/app/sms/send', developer, { to: '+37255501234', text: 'Hello <b>' })
  t.equal(sent.status, 303, sent.text)
  const page = placeOf(sent)
  await until(async () => (await get(url, page, developer)).text.includes('>sent<'))
  t.match((await get(url, page, developer)).text, 'Hello &lt;b&gt;')
  t.notMatch((await get(url, page, viewer)).text, 'Hello')
  t.equal((await submit(url, '/app/sms/send', viewer, { to: '+37255501234', text: 'Hi' })).status, 403)
  const { org: other } = await testOrg(db, [])
  t.equal((await get(url, page, await signedIn(db, url, other.id, 'owner'))).status, 404)
  t.equal((await submit(url, `${placeOf(made)}/remove`, developer, {})).status, 303)
})

t.test('settings and opt-outs are changed on their pages', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const bad = await submit(url, '/app/sms/settings', developer, { countries: 'EE, XX', stop_scope: 'sender' })
  t.match(bad, { status: 400, text: /id="countries-fault"/ })
  const form = { countries: 'ee, fi', stop_scope: 'sender', help_text: 'Shop' }
  t.equal((await submit(url, '/app/sms/settings', developer, form)).status, 303)
  t.match((await get(url, '/app/sms/settings', developer)).text, />EE, FI<\/textarea>.*value="Shop"/s)
  t.equal((await submit(url, '/app/sms/opt-outs/new', developer, { phone: '+37255501234' })).status, 303)
  t.match((await get(url, '/app/sms/opt-outs', developer)).text, '+37255501234')
  const found = await optOuts.findByKey(db, { org_id: org.id, phone: '+37255501234', sender: '' })
  t.equal((await submit(url, '/app/sms/opt-outs/remove', developer, { id: found?.id ?? '' })).status, 303)
  t.match((await get(url, '/app/sms/opt-outs', developer)).text, 'No opt-outs')
})

t.test('a chat connection is made, edited and removed; its URL is never shown', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  t.match((await get(url, '/app/notify/connections', developer)).text, 'Your chat connections appear here')
  const form = { kind: 'slack', name: '#orders', url: 'https://example.com/x' }
  const bad = await submit(url, '/app/notify/connections/new', developer, form)
  t.match(bad, { status: 400, text: /id="url-fault"/ })
  const secretPath = '/services/T000/B000/secretpart'
  const made = await submit(url, '/app/notify/connections/new', developer, {
    ...form,
    url: `https://hooks.slack.com${secretPath}`,
  })
  t.equal(made.status, 303, made.text)
  const page = await get(url, placeOf(made), developer)
  t.match(page.text, /#orders.*unverified.*hooks\.slack\.com/s)
  t.notMatch(page.text, 'secretpart')
  t.equal((await submit(url, `${placeOf(made)}/edit`, developer, { name: '#news', default: 'yes' })).status, 303)
  t.match((await get(url, '/app/notify/connections', developer)).text, /#news.*default/s)
  t.equal((await submit(url, `${placeOf(made)}/remove`, developer, {})).status, 303)
  const own = await submit(url, '/app/notify/connections/new', developer, {
    ...form,
    kind: 'url',
    url: 'https://example.com/hook',
  })
  t.match(own, { status: 200, text: /whsec_/ })
})
