import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { findAdmissionFacts } from '#sql/email/admission.ts'
import { sweepCampaigns } from '#tasks/email/sweep-campaigns.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { addContacts, campaignWorker, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)
await campaignWorker(t, databaseUrl)
type Sender = Awaited<ReturnType<typeof sender>>
const html =
  '<p>Hello {{contact.name|"there"}} of {{contact.attributes.city | \'nowhere\'}}, <a href="{{unsubscribe_url}}">leave</a>'
const create = async (one: Sender, more = {}, key = one.key) => {
  const body = { name: 'News', subject: 'For {{contact.name|"you"}}', html, from_email: `news@${one.domain}`, ...more }
  return await one.ask('POST /send/v1/campaigns', { body, key })
}
const made = async (one: Sender, more = {}) => (await create(one, more)).body.id as string
const path = (id: string, verb = '') => `/send/v1/campaigns/${id}${verb}`
const read = async (one: Sender, id: string) => (await one.ask(`GET ${path(id)}`)).body
const becomes = (one: Sender, id: string, status: string) => until(async () => (await read(one, id)).status === status)
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
const told = (orgId: string) =>
  db.anyFirst(sql.type(z.object({ type: z.string() }))`
    select type from webhooks.events where org_id = ${orgId} and type like 'email.campaign.%' order by id`)
const listen = (one: Sender) =>
  one.ask('POST /send/v1/webhooks', { body: { url: 'https://hooks.example/email', events: ['*'] } })

t.test('each message has the subject of its person, and what its fields stood for when it was made', async (t) => {
  const one = await sender()
  const ann = { email: 'ann@people.example', name: '<Ann> & co', attributes: { city: 'Tallinn' }, consent_source: 'x' }
  for (const body of [ann, { email: 'bob@people.example' }]) await one.ask('POST /send/v1/contacts', { body })
  const id = await made(one, { preheader: 'Only for {{contact.name|"you"}}' })
  await one.ask(`POST ${path(id, '/send')}`)
  await becomes(one, id, 'sent')
  await one.ask('PATCH /send/v1/contacts/ann@people.example', { body: { name: 'Another' } })
  const Row = z.object({ to_email: z.string(), subject: z.string(), fields: z.unknown() })
  const rows = await db.any(sql.type(Row)`
    select m.to_email, m.subject, g.fields from email.messages as m join email.merges as g on g.message_id = m.id
    where m.campaign_id = ${id} order by m.to_email`)
  t.same(rows, [
    {
      to_email: 'ann@people.example',
      subject: 'For <Ann> & co',
      fields: { 'contact.name': '<Ann> & co', 'contact.attributes.city': 'Tallinn' },
    },
    { to_email: 'bob@people.example', subject: 'For you', fields: {} },
  ])
})

t.test(
  'a preview shows a campaign as a contact would get it, escaped, and names what stands for nothing',
  async (t) => {
    const one = await sender()
    const body = { email: 'ann@people.example', name: '<Ann>', consent_source: 'x' }
    await one.ask('POST /send/v1/contacts', { body })
    const id = await made(one, {
      text: 'Hi {{contact.name}} {{contact.attributes.plan}}',
      preheader: 'A & {{contact.name}}',
    })
    const as = (contact?: string) => one.ask(`POST ${path(id, '/preview')}`, { body: contact ? { contact } : {} })
    const shown = (await as('ann@people.example')).body
    t.match(shown, { subject: 'For <Ann>', text: 'Hi <Ann> ', preheader: 'A & <Ann>' })
    t.same(shown.empty_fields, ['contact.attributes.plan'])
    t.match(
      shown.html,
      /^<div data-preheader style="[^"]*display:none[^"]*">A &amp; &#60;Ann&#62;<\/div><p>Hello &#60;Ann&#62; of nowhere/,
    )
    t.match(shown.html, /href="[^"]*\/send\/v1\/unsubscribe\/test"/)
    t.match((await as()).body, { contact: null, subject: 'For you' })
    t.same(fieldsOf(await as('nobody@people.example')), ['body.contact'])
    const page = await one.ask('GET /send/v1/unsubscribe/test')
    t.match([page.status, page.text], [200, /This is a test/])
  },
)

t.test('a test goes to a few addresses, marked, and is in none of the campaign’s counts', async (t) => {
  const one = await sender()
  const id = await made(one)
  const to = ['me@office.example', 'you@office.example']
  const sent = await one.ask(`POST ${path(id, '/test')}`, { body: { to } })
  t.match([sent.status, sent.body.messages], [202, to.map((each) => ({ to: each, status: 'queued' }))])
  const message = (await one.ask(`GET /send/v1/messages/${sent.body.messages[0].id}`)).body
  t.match(message, { subject: '[Test] For you', stream: 'transactional', campaign_id: null })
  t.match(await read(one, id), { status: 'draft', sent: 0, by_status: { queued: 0 } })
  for (const key of [one.sandbox, one.locked]) {
    const reply = await one.ask(`POST ${path(id, '/test')}`, { body: { to }, key })
    t.equal(reply.body.error.code, 'not_found', 'a test key and one of another domain do not reach it')
  }
  const own = (await create(one, {}, one.sandbox)).body.id
  const tried = await one.ask(`POST ${path(own, '/test')}`, { body: { to }, key: one.sandbox })
  t.match(tried.body.messages, [{ status: 'sent' }, { status: 'sent' }])
})

t.test('it begins at its time, which may be changed, as it is by then', async (t) => {
  const one = await sender()
  await listen(one)
  await addContacts(db, one.orgId, 'confirmed', 3)
  const id = await made(one)
  const scheduled = await one.ask(`POST ${path(id, '/schedule')}`, { body: { send_at: soon(3_600_000) } })
  t.match([scheduled.status, scheduled.body], [202, { status: 'scheduled', send_at: String, recipients: 0 }])
  t.equal((await one.ask(`PATCH ${path(id)}`, { body: { subject: 'Later' } })).body.subject, 'Later')
  await one.ask(`POST ${path(id, '/schedule')}`, { body: { send_at: soon(300) } })
  await becomes(one, id, 'sent')
  t.match((await one.ask(`GET /send/v1/messages?campaign_id=${id}`)).body.data, [{ subject: 'Later' }, {}, {}])
  t.equal((await one.ask(`PATCH ${path(id)}`, { body: { subject: 'x' } })).body.error.code, 'campaign_begun')
  t.same(await told(one.orgId), ['email.campaign.sent'])
  await db.query(sql.typeAlias('void')`delete from email.deliveries where org_id = ${one.orgId}`)
  await until(async () => (await told(one.orgId)).length === 2)
  t.same(await told(one.orgId), ['email.campaign.sent', 'email.campaign.finished'])
  t.type((await read(one, id)).ended_at, 'string')
})

t.test('one that is scheduled is cancelled, and never begins', async (t) => {
  const one = await sender()
  await listen(one)
  await addContacts(db, one.orgId, 'confirmed', 3)
  const id = await made(one)
  await one.ask(`POST ${path(id, '/schedule')}`, { body: { send_at: soon(4_000) } })
  for (const _ of [1, 2]) t.equal((await one.ask(`POST ${path(id, '/cancel')}`)).body.status, 'cancelled')
  // Behind its job, which would have begun it.
  const other = await made(one)
  await one.ask(`POST ${path(other, '/schedule')}`, { body: { send_at: soon(4_200) } })
  await becomes(one, other, 'sent')
  t.match(await read(one, id), { status: 'cancelled', started_at: null, by_status: { queued: 0 } })
  t.same([...(await told(one.orgId))].sort(), ['email.campaign.cancelled', 'email.campaign.sent'])
})

t.test('what stands in its way at its time pauses it, and is told', async (t) => {
  const one = await sender()
  await listen(one)
  const segment = { name: 'a', conditions: [{ field: 'tag', op: 'has', value: 'x' }] }
  const { id: segment_id } = (await one.ask('POST /send/v1/segments', { body: segment })).body
  const id = await made(one, { segment_id })
  await one.ask(`POST ${path(id, '/schedule')}`, { body: { send_at: soon(3_600_000) } })
  await db.query(sql.typeAlias('void')`delete from email.segments where id = ${segment_id}`)
  t.equal((await one.ask(`POST ${path(id, '/send')}`)).body.error.code, 'segment_gone')
  // As after a move between cells: its time has come, and no job knows of it.
  await db.query(
    sql.typeAlias('void')`update email.campaigns set send_at = now() - interval '2 minutes' where id = ${id}`,
  )
  const tools = { db, signal: new AbortController().signal }
  await sweepCampaigns.run({}, tools as unknown as Parameters<typeof sweepCampaigns.run>[1])
  await becomes(one, id, 'paused')
  t.match(await read(one, id), { reason: 'The segment was deleted.', started_at: null })
  t.same(await told(one.orgId), ['email.campaign.paused'])
  await one.ask(`PATCH ${path(id)}`, { body: { segment_id: null } })
  await one.ask(`POST ${path(id, '/send')}`)
  await becomes(one, id, 'sent')
})

t.test('whether a message may leave is asked of its contact as it is by then', async (t) => {
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', 3)
  const id = await made(one)
  await one.ask(`POST ${path(id, '/send')}`)
  await becomes(one, id, 'sent')
  await one.ask('POST /send/v1/contacts/c1@rcpt.example/unsubscribe')
  await one.ask('DELETE /send/v1/contacts/c2@rcpt.example')
  const { data } = (await one.ask(`GET /send/v1/messages?campaign_id=${id}`)).body
  const now = await findAdmissionFacts(
    db,
    data.map((message: { id: string }) => message.id),
  )
  const contactOf = (to: string) =>
    now.find((each) => each.id === data.find((m: { to: string }) => m.to === to)?.id)?.contact
  t.same(
    ['c1', 'c2', 'c3'].map((name) => contactOf(`${name}@rcpt.example`)),
    ['unsubscribed', null, 'confirmed'],
  )
})

t.test('what is no field, no time and no address is refused by its name', async (t) => {
  const one = await sender()
  const cases: [object, string[]][] = [
    [{ html: '{{contact.city}}' }, ['body.html']],
    [{ html: '{{name}}' }, ['body.html']],
    [{ html: '{{contact}}' }, ['body.html']],
    [{ html: '{{contact.attributes}}' }, ['body.html']],
    [{ html: '{{contact.name.first}}' }, ['body.html']],
    [{ html: '{{contact.name|there}}' }, ['body.html']],
    [{ html: '{{contact.name|"there}}' }, ['body.html']],
    [{ html: '{{#if contact.name}}' }, ['body.html']],
    [{ html: '{{{contact.name}}}' }, ['body.html']],
    [{ html: '{{contact.attributes.a.b.c.d.e.f}}' }, ['body.html']],
    [{ html: Array.from({ length: 201 }, (_, n) => `{{contact.attributes.a${n}}}`).join('') }, ['body.html']],
    [{ subject: '{{unsubscribe_url}}' }, ['body.subject']],
    [{ subject: '{{user}}' }, ['body.subject']],
    [{ text: '{{x}}' }, ['body.text']],
    [{ preheader: '{{x}}' }, ['body.preheader']],
    [{ preheader: 'a\nb' }, ['body.preheader']],
    [{ preheader: 'x'.repeat(201) }, ['body.preheader']],
    [{ segment_id: 'x' }, ['body.segment_id']],
    [{ segment_id: '0198c4a2-7d1e-7c3b-9f60-2b1d5e8a4c11' }, ['body.segment_id']],
  ]
  for (const [more, fields] of cases) {
    const reply = await create(one, more)
    t.match([reply.status, fieldsOf(reply)], [400, fields], JSON.stringify(more).slice(0, 80))
  }
  const id = await made(one)
  const bodies: [string, object, string[]][] = [
    ['/schedule', { send_at: 'soon' }, ['body.send_at']],
    ['/schedule', { send_at: soon(400 * 86_400_000) }, ['body.send_at']],
    ['/schedule', { at: soon(1) }, ['body.at', 'body.send_at']],
    ['/schedule', { send_at: null }, ['body.send_at']],
    ['/test', {}, ['body.to']],
    ['/test', { to: [] }, ['body.to']],
    ['/test', { to: ['a', 'b@c.example'] }, ['body.to.0']],
    ['/test', { to: Array.from({ length: 6 }, (_, n) => `a${n}@b.example`) }, ['body.to']],
    ['/test', { to: ['a@b.example'], contact: 'x' }, ['body.contact']],
    ['/test', { to: ['a@b.example'], contact: 'no@one.example' }, ['body.contact']],
    ['/preview', { contact: 7 }, ['body.contact']],
  ]
  for (const [verb, body, fields] of bodies) {
    const reply = await one.ask(`POST ${path(id, verb)}`, { body })
    t.match([reply.status, fieldsOf(reply)], [400, fields], `${verb} ${JSON.stringify(body).slice(0, 60)}`)
  }
  const body = { html: '{{x}}', name: '', syntax: 'placeholders' }
  t.same(fieldsOf(await one.ask(`PATCH ${path(id)}`, { body })), ['body.html', 'body.name'])
  t.same(fieldsOf(await one.ask(`PATCH ${path(id)}`, { body: { html: '{{x}}' } })), ['body.html'])
  t.equal((await one.ask(`PATCH ${path(id)}`, { body: {} })).status, 400)
  const stranger = await sender()
  for (const verb of ['/preview', '/test', '/schedule', '/send', '/cancel']) {
    const bodies: Record<string, object> = { '/test': { to: ['a@b.example'] }, '/schedule': { send_at: soon(1) } }
    const body = bodies[verb]
    t.equal((await stranger.ask(`POST ${path(id, verb)}`, body ? { body } : {})).status, 404, verb)
  }
})
