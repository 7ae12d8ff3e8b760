import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { knownNumber } from '../whatsapp/own-number.ts'
import { signingSecret, whatsappStack } from '../whatsapp/stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(120_000)
const stack = await whatsappStack(t)
const { db } = stack
await stack.startWorkers()
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'whatsapp'],
  services: [provide(services.signingSecret, signingSecret)],
})

t.test('an owner connects a number, hands a template in, and removes the number; a viewer sees it', async (t) => {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  t.match((await get(url, '/app/whatsapp/number', viewer)).text, 'use the platform’s number')
  t.notMatch((await get(url, '/app/whatsapp/number', viewer)).text, 'Connect a number')
  const known = knownNumber(stack)
  const form = {
    phone_number_id: known.phoneNumberId,
    business_account_id: known.accountId,
    access_token: known.accessToken,
    app_secret: 'another',
  }
  const refused = await submit(url, '/app/whatsapp/number/new', owner, form)
  t.match(refused, { status: 400, text: /must belong to the app/ })
  t.equal((await submit(url, '/app/whatsapp/number/new', owner, { ...form, app_secret: known.appSecret })).status, 303)
  const page = await get(url, '/app/whatsapp/number', viewer)
  t.match(page.text, /1 555 0100.*No templates yet/s)
  t.notMatch(page.text, known.accessToken)
  const template = { name: 'order_ready', language: 'en', category: 'UTILITY', footer: '', replies: 'Thank you\n' }
  const bad = await submit(url, '/app/whatsapp/templates/new', owner, {
    ...template,
    components: 'Order {{1}}.',
    examples: '',
  })
  t.match(bad, { status: 400, text: /must have 1 examples/ })
  const given = { ...template, components: 'Order {{1}} is ready.', examples: '1042' }
  t.equal((await submit(url, '/app/whatsapp/templates/new', owner, given)).status, 303)
  const after = await get(url, '/app/whatsapp/number', owner)
  t.match(after.text, /order_ready.*pending/s)
  const id = /name="id" value="([^"]+)"/.exec(after.text)?.[1] ?? ''
  t.equal((await submit(url, '/app/whatsapp/number/remove', owner, { id })).status, 303)
  t.match((await get(url, '/app/whatsapp/number', owner)).text, 'use the platform’s number')
})
