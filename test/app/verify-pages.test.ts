import '../support/verify-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { phoneNumber, phoneStack } from '../verify/phone-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await phoneStack(t, ['app'])
await stack.startWorkers()
const { db } = stack
const { url } = stack.ingress
const shop = await stack.customer()
const [developer, viewer] = [
  await signedIn(db, url, shop.orgId, 'developer'),
  await signedIn(db, url, shop.orgId, 'viewer'),
]
const page = async (path: string, who = viewer) => (await get(url, path, who)).text

t.test('a list and a page show a verification without its number and its code', async (t) => {
  t.match(await page('/app/verify'), /No verifications yet\./)
  const { id, to, code } = await shop.begin(phoneNumber(), { user_id: 'user-17', metadata: { form: 'sign-up' } })
  const [list, one] = [await page('/app/verify'), await page(`/app/verify/${id}`)]
  t.match(list, `/app/verify/${id}`)
  t.match(one, 'user-17')
  for (const text of [list, one, await page(`/app/verify/${id}`, developer)]) {
    t.notMatch(text, to)
    t.notMatch(text, new RegExp(`(?<![\\d-])${code}(?![\\d-])`))
  }
  const [, link = ''] = /href="(\/app\/sms\/messages\/[^"]+)"/.exec(one) ?? []
  const message = await get(url, link, developer)
  t.equal(message.status, 200, link)
  t.match(message.text, 'Its text is not shown.')
  t.notMatch(message.text, new RegExp(`(?<![\\d-])${code}(?![\\d-])`))
  t.match(list, /data-plot="[^"]*verifications/)
  t.equal((await submit(url, `/app/verify/${id}/cancel`, viewer, {})).status, 403)
  t.equal((await submit(url, `/app/verify/${id}/cancel`, developer, {})).status, 303)
  t.match(await shop.read(id), { status: 'canceled' })
  t.match(await page('/app/verify?status=canceled'), `/app/verify/${id}`)
  t.match(await page('/app/verify?status=approved'), /No verifications match these filters\./)
})

t.test('a member blocks a range, allows another one, and deletes a decision', async (t) => {
  t.match(await page('/app/verify/prefixes'), /No blocked or allowed ranges\./)
  t.notMatch(await page('/app/verify/prefixes'), 'Save decision')
  const bad = await submit(url, '/app/verify/prefixes', developer, { prefix: '372', state: 'blocked', hours: '' })
  t.equal(bad.status, 400)
  t.match(bad.text, /id="prefix-fault">must be the start of a phone number/)
  const saved = await submit(url, '/app/verify/prefixes', developer, {
    prefix: '+3725999',
    state: 'blocked',
    hours: '2',
  })
  t.equal(saved.status, 303, saved.text)
  t.match(await page('/app/verify/prefixes'), '+3725999')
  const { body } = await shop.start(phoneNumber('+3725999'))
  t.match(await page(`/app/verify/${body.id}`), 'The range of this phone number is blocked.')
  t.equal((await submit(url, '/app/verify/prefixes/%2B3725999/delete', developer, {})).status, 303)
  t.match(await page('/app/verify/prefixes'), /No blocked or allowed ranges\./)
})

t.test('a member changes the settings; each fault is at its field', async (t) => {
  t.equal((await get(url, '/app/verify/settings', viewer)).status, 403)
  const form = {
    ...{ brand: 'Shop', from_email: '', sms_sender: '', template: 'login_code', language: 'en_US' },
    ...{ countries: 'EE, FI', country_budgets: 'EE=500', guard_action: 'verify', guard_required: 'yes' },
    ...{ code_length: '8', ttl: '300', max_attempts: '3', max_sends: '2', resend_after: '60' },
    ...{ country_budget: '10', per_recipient: '4', per_network: '20', per_hour: '100' },
    ...{ prefix_starts: '50', prefix_conversion: '5', prefix_block_hours: '12' },
  }
  const saved = await submit(url, '/app/verify/settings', developer, form)
  t.equal(saved.status, 303, saved.text)
  t.match((await shop.ask('GET /v1/verify/settings')).body, {
    brand: 'Shop',
    from_email: null,
    whatsapp_template: { name: 'login_code', language: 'en_US' },
    countries: ['EE', 'FI'],
    country_budgets: { EE: 500 },
    guard_required: true,
    code_length: 8,
    ttl: 300,
    prefix_block_hours: 12,
  })
  t.match(await page('/app/verify/settings', developer), /value="EE=500"/)
  const bad = await submit(url, '/app/verify/settings', developer, { ...form, code_length: '3', brand: 'a\u202eb' })
  t.equal(bad.status, 400)
  t.match(bad.text, /id="code_length-fault"/)
  t.match(bad.text, /id="brand-fault"/)
})

t.test('another organisation sees none of it', async (t) => {
  const { id } = await (await stack.customer()).begin()
  t.equal((await get(url, `/app/verify/${id}`, developer)).status, 404)
  const rows = await db.oneFirst(sql.typeAlias('count')`select count(*) from verify.verifications where id = ${id}`)
  t.equal(rows, 1)
})
