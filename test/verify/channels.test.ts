import '../support/verify-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { phoneNumber, phoneStack, wrongCode } from './phone-stack.ts'

t.setTimeout(240_000)
const stack = await phoneStack(t)
await stack.startWorkers()
const shop = await stack.customer()

t.test('a code arrives by SMS, and its delivery is followed', async (t) => {
  const to = phoneNumber()
  const { id, code } = await shop.begin(to, { brand: 'Shop', locale: 'de-AT' })
  t.match(stack.textsTo(to)[0], `${code} ist Ihr Code für Shop.`)
  t.match(await shop.read(id), { status: 'pending', country: 'EE', to: /^\+3725\*+\d\d$/ })
  t.equal((await shop.report(to, 'delivered')).status, 200)
  await until(async () => (await shop.read(id)).delivery === 'delivered', { timeout: 20_000 })
  t.match((await shop.check({ to, code: wrongCode(code) })).body, { status: 'pending', attempts_left: 4 })
  t.match((await shop.check({ to, code })).body, { id, status: 'approved' })
  t.same(await stack.events(id), ['verify.sent', 'verify.approved'])
})

t.test('an undelivered SMS is reported, and another channel takes over if there is one', async (t) => {
  await shop.connectWhatsapp()
  const [alone, both] = [phoneNumber(), phoneNumber()]
  const [first, second] = [await shop.begin(alone), await shop.begin(both, { channels: ['sms', 'whatsapp'] })]
  await shop.report(alone, 'undelivered', '30003')
  await shop.report(both, 'undelivered', '30003')
  await until(async () => (await shop.read(first.id)).status === 'undeliverable', { timeout: 20_000 })
  t.match((await shop.check({ id: first.id, code: wrongCode(first.code) })).body, { status: 'pending' })
  t.same(await stack.events(first.id), ['verify.sent', 'verify.undeliverable'])
  const sent = await until(() => stack.cloudApi.sent().find(({ body }) => `+${body.to}` === both), {
    timeout: 20_000,
    what: 'a WhatsApp message',
  })
  const code = sent.body.template.components[0].parameters[0].text as string
  t.match(code, /^\d{6}$/)
  t.same(sent.body.template, {
    name: 'login_code',
    language: { code: 'en' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: code }] },
    ],
  })
  const { message_id } = await shop.read(second.id)
  t.notMatch((await shop.ask(`GET /v1/whatsapp/messages/${message_id}`)).text, code)
  t.match((await shop.check({ id: second.id, code: second.code })).body, { status: 'pending' }, 'the first code ended')
  t.match((await shop.check({ id: second.id, code })).body, { status: 'approved' })
})

t.test('a resend replaces the code and goes to another channel', async (t) => {
  await shop.set({ resend_after: 600 })
  const { id, to, code } = await shop.begin()
  t.match((await shop.ask(`POST /v1/verify/${id}/resend`, { body: {} })).body.error, { code: 'resend_too_early' })
  await stack.db.query(sql.typeAlias('void')`update verify.verifications set resend_at = now() where id = ${id}`)
  const again = await shop.ask(`POST /v1/verify/${id}/resend`, { body: { channel: 'sms' } })
  t.match(again, { status: 200, body: { id, status: 'pending', sends_left: 2 } })
  const next = await stack.codeTo(to, 2)
  t.match((await shop.check({ id, code })).body, { status: 'pending', attempts_left: 4 })
  t.match((await shop.check({ id, code: next })).body, { status: 'approved' })
})

t.test('a test key sends nothing; its code is in the test inbox only', async (t) => {
  const before = stack.provider.received.length
  for (const channel of ['sms', 'whatsapp', 'voice']) {
    const to = phoneNumber()
    const asTest = { key: shop.testKey }
    const started = await shop.ask('POST /v1/verify/start', { ...asTest, body: { channel, to } })
    t.match(started, { status: 200, body: { status: 'pending', sandbox: true } }, started.text)
    const { id } = started.body
    const read = async () => (await shop.ask(`GET /v1/verify/${id}`, asTest)).body
    await until(async () => (await read()).delivery === 'delivered', { timeout: 20_000 })
    const { message_id } = await read()
    const inbox = await shop.ask(`GET /v1/account/test-messages/${message_id}`)
    const code = /(?<![\d+])\d{6}(?!\d)/.exec(JSON.stringify(inbox.body.content))?.[0] as string
    t.equal((await shop.ask(`GET /v1/verify/${id}`)).status, 404, 'a live key does not find it')
    t.equal((await shop.check({ id, code })).status, 404, 'a live key cannot approve it')
    t.match((await shop.check({ id, code }, asTest)).body, { status: 'approved' })
  }
  t.equal(stack.provider.received.length, before)
})

t.test('a verification expires and is reported', async (t) => {
  const { id, code } = await shop.begin()
  await stack.db.query(sql.typeAlias('void')`
    update verify.verifications set expires_at = now() - interval '1 second' where id = ${id}`)
  t.match((await shop.check({ id, code })).body, { status: 'expired', attempts_left: 0 })
  t.match(await shop.read(id), { status: 'expired' })
})
