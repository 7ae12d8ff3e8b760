import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import { toReportedError } from '#tasks/whatsapp/rules/error-table.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { accountId, phoneNumberId } from '../whatsapp/cloud-api-server.ts'
import { knownNumber } from '../whatsapp/own-number.ts'
import { appSecret, signingSecret, verifyToken, whatsappStack } from '../whatsapp/stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { db } = stack
await stack.startWorkers()
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'whatsapp'],
  services: [
    provide(services.signingSecret, signingSecret),
    provide(settings, { phoneNumberId, accountId, appSecret, verifyToken, waitMs: 5_000 }),
  ],
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
  t.match(page.text, /1 555 0100.*stored encrypted/s)
  t.notMatch(page.text, known.accessToken)
  t.notMatch(refused.text, known.accessToken, 'nor is a refused secret shown again')
  t.match((await get(url, '/app/whatsapp/templates', viewer)).text, 'No templates yet')
  const template = { name: 'order_ready', language: 'en', category: 'UTILITY', footer: '', replies: 'Thank you\n' }
  const bad = await submit(url, '/app/whatsapp/templates/new', owner, {
    ...template,
    components: 'Order {{1}}.',
    examples: '',
  })
  t.match(bad, { status: 400, text: /id="examples-fault">must have 1 examples/ })
  const given = { ...template, components: 'Order {{1}} is ready.', examples: '1042' }
  const preview = await submit(url, '/app/whatsapp/templates/preview', owner, { ...given, header: 'Hello <b>' })
  t.match(preview.text, /bubble-head">Hello &lt;b&gt;.*Order 1042 is ready\..*<li>Thank you/s)
  const button = { ...given, link_text: 'Track', link_url: 'shop' }
  t.match((await submit(url, '/app/whatsapp/templates/new', owner, button)).text, 'id="link_url-fault"')
  const place = (await submit(url, '/app/whatsapp/templates/new', owner, given)).headers.get('location') ?? ''
  t.match((await get(url, place, viewer)).text, /data-live="whatsapp-template.*pending.*Order 1042 is ready\./s)
  t.match(
    (await get(url, `/app/whatsapp/templates/new?from=${place.split('/').at(-1)}`, owner)).text,
    'value="order_ready_2"',
  )
  t.match(
    (await get(url, '/app/whatsapp/templates', owner)).text,
    /data-live="whatsapp-templates".*order_ready.*pending/s,
  )
  const unsent = await submit(url, `/app/whatsapp/send?template=${place.split('/').at(-1)}`, owner, {
    to: '+3725550101',
    value_0: '7',
  })
  t.match(unsent, { status: 400, text: /cannot be sent/ })
  t.equal((await submit(url, `${place}/remove`, viewer, {})).status, 403)
  t.equal((await submit(url, `${place}/remove`, owner, {})).status, 303)
  const secrets = { access_token: '', app_secret: '' }
  t.match((await submit(url, '/app/whatsapp/number/secrets', owner, secrets)).text, 'id="access_token-fault"')
  const wrong = await submit(url, '/app/whatsapp/number/secrets', owner, { ...secrets, app_secret: 'another-secret' })
  t.match(wrong, { status: 400, text: /id="app_secret-fault"/ })
  t.notMatch(wrong.text, 'another-secret')
  const after = await get(url, '/app/whatsapp/number', owner)
  const id = /name="id" value="([^"]+)"/.exec(after.text)?.[1] ?? ''
  t.equal((await submit(url, '/app/whatsapp/number/remove', owner, { id })).status, 303)
  t.match((await get(url, '/app/whatsapp/number', owner)).text, 'use the platform’s number')
})

t.test('a message is sent; its page and its conversation show the answer of WhatsApp with what to do', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  const faulty = await submit(url, '/app/whatsapp/send', developer, { to: '555', text: 'Hi' })
  t.match(faulty, { status: 400, text: /id="to-fault">must be a phone number/ })
  t.equal((await submit(url, '/app/whatsapp/send', viewer, { to: '+37255501234', text: 'Hi' })).status, 403)
  const closed = await submit(url, '/app/whatsapp/send', developer, { to: '+37255501234', text: 'Hi' })
  t.match(closed, { status: 400, text: /has not written within the last 24 hours/ })

  const at = new Date().toISOString()
  const said = { org_id: org.id, phone: '+37255501234', wa_id: '37255501234', type: 'text', context_message_id: null }
  const out = { ...said, send_at: at, created_at: at, direction: 'outbound', status: 'sending' } as const
  const id = newId()
  await messages.insertMany(db, [{ ...out, id, content: { body: 'Hello <b>' } }])
  const error = toReportedError(131026)
  await statuses.record(db, [{ id, status: 'failed', at: new Date(), error, wamid: null }])
  const shown = (await get(url, `/app/whatsapp/messages/${id}`, developer)).text
  t.match(shown, /cannot be reached on WhatsApp.*Check the number.*WhatsApp error 131026/s)
  t.match(shown, /Status history.*failed.*131026/s)
  t.match(shown, 'Hello &lt;b&gt;')
  t.notMatch((await get(url, `/app/whatsapp/messages/${id}`, viewer)).text, 'Hello')
  const chat = (await get(url, '/app/whatsapp/conversations/37255501234', developer)).text
  t.match(chat, /data-live="whatsapp-chat\/37255501234".*Hello &lt;b&gt;/s)
  const list = (await get(url, '/app/whatsapp/conversations/37255501234', viewer)).text
  t.match(list, /data-live="whatsapp-statuses.*recipient_unreachable/s)
  t.notMatch(list, 'Hello')
  t.match((await get(url, '/app/whatsapp', viewer)).text, 'href="/app/whatsapp/conversations/37255501234"')
  const stranger = await signedIn(db, url, (await testOrg(db, [])).org.id, 'owner')
  t.equal((await get(url, `/app/whatsapp/messages/${id}`, stranger)).status, 404)
  t.equal((await get(url, '/app/whatsapp/conversations/37255501234', stranger)).status, 404)
})

t.test('members of organisations without a number cannot use up the requests of the platform’s account', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  t.equal((await get(url, '/app/whatsapp/templates', developer)).status, 200)
  const syncedAt = () =>
    db.oneFirst(sql.unsafe`select synced_at::text from whatsapp.accounts where account_id = ${accountId}`)
  const before = await syncedAt()
  for (const _ of [1, 2, 3]) await submit(url, '/app/whatsapp/templates/refresh', developer, {})
  t.equal(await syncedAt(), before, 'a fresh copy is not fetched again')
  await db.query(sql.unsafe`
    update whatsapp.accounts set synced_at = now() - interval '2 minutes' where account_id = ${accountId}`)
  await submit(url, '/app/whatsapp/templates/refresh', developer, {})
  t.not(await syncedAt(), before, 'an old one is')
})
