import t from 'tap'
import { sql } from '#sql/db.ts'
import { addOptOut, liftOptOuts } from '#tasks/sms/rules/change-opt-outs.ts'
import { emitted } from '#tasks/webhooks/rules/emit.ts'
import { mail, peopleStack, whatsapp } from './people.ts'

const stack = await peopleStack(t)
const { db } = stack
const one = await stack.house()

interface Emitted {
  type: string
  orgId: string
  data: Record<string, unknown>
}

const told: Emitted[] = []
emitted.subscribe((events) => told.push(...(events as Emitted[])))
const changesOf = (userId: string) =>
  told
    .filter(({ type, data }) => type === 'people.consent_changed' && data.user_id === userId)
    .map(({ data }) => `${data.channel} ${data.previous_state} ${data.state}`)

let made = 10

async function person(user: string) {
  const email = `${user}@rcpt.example`
  const phone = `+37255501${++made}`
  const app = (await one.ask('POST /push/v1/apps', { name: user })).body.id
  await one.ask(`PUT /v1/notify/people/${user}`, { email, phone })
  const device = { app_id: app, user_id: user, push_provider: 'sse', device_id: user }
  await one.ask('POST /push/v1/installations', device)
  return { email, phone, app, path: `/v1/people/${user}/consent` }
}

t.test('one write changes the state of each area, with its evidence and events', async (t) => {
  const { email, phone, path } = await person('ann')
  const body = { email: 'granted', whatsapp: 'granted', source: 'checkout', evidence: { form: 'v3' } }
  const granted = await one.ask(`PUT ${path}`, { ...body, given_at: '2026-01-02T03:04:05Z' })
  t.match(granted.body, {
    email: { state: 'granted', source: 'checkout' },
    push: { state: 'granted', source: 'device' },
    whatsapp: { state: 'granted', source: 'checkout' },
  })
  t.match((await one.ask(`GET /send/v1/contacts/${email}`)).body, {
    ...{ status: 'confirmed', consent_source: 'checkout', user_id: 'ann', history: [{ kind: 'added', source: 'api' }] },
  })
  const number = `/v1/whatsapp/recipients/${encodeURIComponent(phone)}`
  t.match((await one.ask(`GET ${number}`)).body, { consent: 'granted', consent_source: 'checkout', user_id: 'ann' })
  await one.ask(`PUT ${path}`, { email: 'denied', push: 'denied', whatsapp: 'denied', source: 'preference centre' })
  t.match((await one.ask(`GET ${path}`)).body, {
    email: { state: 'denied', source: 'unsubscribed' },
    push: { state: 'denied', source: 'preference centre' },
    whatsapp: { state: 'denied', source: 'preference centre' },
  })
  t.same(changesOf('ann').sort(), [
    'email granted denied',
    'email none granted',
    'push granted denied',
    'whatsapp granted denied',
    'whatsapp none granted',
  ])
  const { data } = (await one.ask(`GET ${path}/changes?channel=email`)).body
  t.match(data, [
    { channel: 'email', state: 'denied', previous_state: 'granted', source: 'preference centre', evidence: {} },
    { state: 'granted', evidence: { form: 'v3' }, given_at: '2026-01-02T03:04:05.000Z', actor: 'main' },
  ])
})

t.test('a change that one channel refuses changes nothing', async (t) => {
  const { email, path } = await person('bobby')
  await one.ask(`POST /send/v1/contacts/${email}/unsubscribe`, {})
  const refused = await one.ask(`PUT ${path}`, { email: 'granted', whatsapp: 'granted', source: 'x' })
  t.equal(refused.status, 409)
  t.equal(refused.body.error.code, 'contact_unsubscribed')
  t.match((await one.ask(`GET ${path}`)).body, { email: { state: 'denied' }, whatsapp: { state: 'none' } })
  t.same((await one.ask(`GET ${path}/changes`)).body.data, [])
  await one.ask('PUT /v1/notify/people/nobody', { name: 'No address' })
  for (const channel of ['email', 'push', 'whatsapp', 'sms']) {
    const lacking = await one.ask('PUT /v1/people/nobody/consent', { [channel]: 'denied', source: 'x' })
    t.match(lacking, { status: 409, body: { error: { code: 'no_address', details: { channel } } } }, channel)
  }
})

t.test('the state is that of the areas, whoever changed it', async (t) => {
  const { email, phone, path } = await person('carla')
  const state = async () => (await one.ask(`GET ${path}`)).body
  await one.ask('POST /send/v1/contacts/import', { contacts: [{ email }] })
  t.match(await state(), { email: { state: 'pending' } })
  await one.ask('POST /send/v1/contacts', { email, consent_source: 'form' })
  t.match(await state(), { email: { state: 'granted', source: 'form' } })
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${one.orgId}, ${email}, 'complaint')`)
  t.match(await state(), { email: { state: 'denied', source: 'suppression:complaint' } })
  await one.ask(`PUT /v1/whatsapp/recipients/${encodeURIComponent(phone)}`, {
    consent: 'denied',
    consent_source: 'STOP',
  })
  t.match(await state(), { whatsapp: { state: 'denied', source: 'STOP' } })
  const before = changesOf('dora').length
  const { email: linked } = await person('dora')
  await one.ask('POST /send/v1/contacts', { email: linked, user_id: 'dora' })
  await one.ask(`POST /send/v1/contacts/${linked}/unsubscribe`, {})
  t.same(changesOf('dora').slice(before), ['email granted denied'], 'an unsubscription is told of the person')
})

t.test('no event says that a suppressed address has consent', async (t) => {
  const { email, path } = await person('bounced')
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${one.orgId}, ${email}, 'complaint')`)
  const reply = await one.ask(`PUT ${path}`, { email: 'granted', source: 'checkout' })
  t.match(reply.body, { email: { state: 'denied', source: 'suppression:complaint' } })
  t.same(changesOf('bounced'), [])
})

t.test('a person who has opted out gets no push, and one who accepts again does', async (t) => {
  const { app, path } = await person('edgar')
  const push = async () =>
    (
      await one.ask('POST /push/v1/messages', {
        app_id: app,
        target: { type: 'user', id: 'edgar' },
        title: 'a',
        body: 'b',
      })
    ).body
  t.equal((await push()).status, 'queued')
  await one.ask(`PUT ${path}`, { push: 'denied', source: 'settings' })
  t.equal((await push()).status, 'no_devices')
  await one.ask(`PUT ${path}`, { push: 'granted', source: 'settings' })
  t.equal((await push()).status, 'queued')
  t.match((await one.ask('POST /push/v1/users', { app_id: app, user_id: 'edgar', opted_out: true })).body, {
    opted_out_at: /Z$/,
  })
  t.equal((await push()).status, 'no_devices')
  t.match((await one.ask(`GET ${path}`)).body, { push: { state: 'denied', source: 'api' } })
  t.match((await one.ask('POST /push/v1/users', { app_id: app, user_id: 'edgar', opted_out: false })).body, {
    opted_out_at: null,
  })
})

t.test('WhatsApp messages wait for the person to write again after an opt-out', async (t) => {
  const { phone, path } = await person('franziska')
  await db.query(sql.typeAlias('void')`
    insert into whatsapp.business_numbers
      (id, org_id, phone_number_id, account_id, access_token, app_secret, verify_token, state)
    values (gen_random_uuid(), ${one.orgId}, 'n1', 'a1', 'x', 'x', 'x', 'connected')`)
  const send = () => one.ask('POST /v1/whatsapp/send', { to: phone, text: 'Hello' })
  const wrote = async () => {
    await whatsapp(db, one, phone)
    await db.query(sql.typeAlias('void')`
      insert into whatsapp.number_contacts (number_id, wa_id, last_inbound_at)
      select id, ${phone.slice(1)}, clock_timestamp() from whatsapp.business_numbers where org_id = ${one.orgId}
      on conflict (number_id, wa_id) do update set last_inbound_at = clock_timestamp()`)
  }
  await wrote()
  await one.ask(`PUT ${path}`, { whatsapp: 'denied', source: 'STOP' })
  const refused = await send()
  t.match(refused, { status: 400, body: { error: { code: 'recipient_opted_out' } } })
  await wrote()
  t.not((await send()).body.error?.code, 'recipient_opted_out', 'a reply is possible')
  await one.ask(`PUT ${path}`, { whatsapp: 'denied', source: 'STOP' })
  t.match(await send(), { body: { error: { code: 'recipient_opted_out' } } }, 'a repeated denial applies again')
})

t.test('SMS: a report adds and removes opt-outs, and the person decides with STOP and START', async (t) => {
  const { phone, path } = await person('hedwig')
  const state = async () => (await one.ask(`GET ${path}`)).body.sms
  const outs = async () => (await one.ask(`GET /v1/sms/opt-outs?phone=${encodeURIComponent(phone)}`)).body.data
  t.match(await state(), { state: 'none', source: null })
  t.match((await one.ask(`PUT ${path}`, { sms: 'denied', source: 'letter' })).body.sms, {
    ...{ state: 'denied', source: 'letter' },
  })
  t.match(await outs(), [{ phone, from: null, source: 'api' }])
  const granted = await one.ask(`PUT ${path}`, { sms: 'granted', source: 'checkout', given_at: '2026-01-02T03:04:05Z' })
  t.same(granted.body.sms, { state: 'granted', source: 'checkout', at: '2026-01-02T03:04:05.000Z' })
  t.same(await outs(), [])
  const of = { org_id: one.orgId, phone, sender: '' }
  await db.transaction((tx) => addOptOut(tx, { ...of, source: 'keyword', keyword: 'STOP' }))
  t.match(await state(), { state: 'denied', source: 'keyword' })
  await db.transaction((tx) => liftOptOuts(tx, of))
  t.match(await state(), { state: 'granted', source: 'checkout' })
  t.same(changesOf('hedwig'), [
    ...['sms none denied', 'sms denied granted', 'sms granted denied', 'sms denied granted'],
  ])
  const second = (await one.ask('POST /v1/sms/opt-outs', { phone, from: 'Shop' })).body
  t.match(await state(), { state: 'denied', source: 'api' }, 'an opt-out of one sender denies')
  await one.ask(`DELETE /v1/sms/opt-outs/${second.id}`)
  t.match(await state(), { state: 'granted' })
})

t.test('a change that is rejected leaves the opt-outs as they are', async (t) => {
  const { email, phone, path } = await person('irma')
  await one.ask('POST /v1/sms/opt-outs', { phone })
  await one.ask(`POST /send/v1/contacts/${email}/unsubscribe`, {})
  t.equal((await one.ask(`PUT ${path}`, { sms: 'granted', email: 'granted', source: 'x' })).status, 409)
  t.match((await one.ask(`GET ${path}`)).body.sms, { state: 'denied', source: 'api' })
})

t.test('transactional email still goes out after consent for marketing is denied', async (t) => {
  const { email, path } = await person('gundula')
  await one.ask(`PUT ${path}`, { email: 'denied', source: 'x' })
  t.equal((await mail(one, email)).status, 202)
})
