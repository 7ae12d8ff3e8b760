import pg from 'pg'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { until } from '../support/until.ts'
import { addContacts, campaignWorker, outcomes, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)
const worker = await campaignWorker(t, databaseUrl)
const campaign = (domain: string) => ({
  name: 'November',
  subject: 'News',
  html: '<h1>News</h1>',
  from_email: `news@${domain}`,
})

type Sender = Awaited<ReturnType<typeof sender>>
const create = async (one: Sender, more = {}, key = one.key) =>
  (await one.ask('POST /send/v1/campaigns', { key, body: { ...campaign(one.domain), ...more } })).body.id as string
const read = async (one: Sender, id: string) => (await one.ask(`GET /send/v1/campaigns/${id}`)).body
const settled = (one: Sender, id: string, status: string) =>
  until(async () => {
    const now = await read(one, id)
    return now.status === status && now
  })
const recipients = (id: string) =>
  db.anyFirst(sql.type(z.object({ to_email: z.string() }))`
    select to_email from email.messages where campaign_id = ${id} order by to_email`)
const suppress = (orgId: string, email: string, reason: string) =>
  db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${orgId}, ${email}, ${reason})`)

t.test(
  'it goes to confirmed contacts that are not suppressed, once each, and tells whom it is blocked from',
  async (t) => {
    const one = await sender()
    await addContacts(db, one.orgId, 'confirmed', 2_500)
    await addContacts(db, one.orgId, 'unconfirmed', 3, 3_000)
    await addContacts(db, one.orgId, 'unsubscribed', 2, 4_000)
    await suppress(one.orgId, 'c7@rcpt.example', 'bounce')
    await suppress(one.orgId, 'c8@rcpt.example', 'complaint')
    const id = await create(one)
    t.match(await read(one, id), { status: 'draft', progress: 0, sent: 0, html: '<h1>News</h1>' })
    const begun = await one.ask(`POST /send/v1/campaigns/${id}/send`)
    t.match([begun.status, begun.body], [202, { status: 'sending', recipients: 2_500 }])
    const sent = await settled(one, id, 'sent')
    t.match(sent, {
      blocked: { total: 7, by_reason: { unconfirmed: 3, unsubscribed: 2, bounce: 1, complaint: 1 } },
      by_status: { queued: 2_498 },
      progress: 0.0008,
      sent: 0,
    })
    const reached = await recipients(id)
    t.equal(new Set(reached).size, 2_498)
    t.notOk(reached.includes('c7@rcpt.example'))
    const Row = z.object({ pool: z.string(), count: z.number() })
    t.same(
      await db.any(sql.type(Row)`
      select d.pool, count(*) from email.deliveries as d where org_id = ${one.orgId} group by d.pool`),
      [{ pool: 'campaign', count: 2_498 }],
    )
    const { data } = (await one.ask(`GET /send/v1/messages?campaign_id=${id}&limit=2`)).body
    t.match(data[0], { stream: 'subscribed', subject: 'News', campaign_id: id })
    await outcomes(db, [
      { messageId: data[0].id, status: 'delivered' },
      { messageId: data[1].id, status: 'bounced', hard: true },
    ])
    t.match(await read(one, id), { sent: 2, by_status: { queued: 2_496, delivered: 1, bounced: 1 } })
    t.equal((await one.ask('GET /send/v1/usage')).body.messages, 2_498)
    t.match((await one.ask(`POST /send/v1/campaigns/${id}/send`)).body.error.code, 'campaign_not_sendable')
  },
)

t.test('cancelled, it takes back what has not left; what is being delivered may leave', async (t) => {
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', 30)
  const id = await create(one)
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  await settled(one, id, 'sent')
  const delivering = new pg.Client({ connectionString: databaseUrl })
  await delivering.connect()
  t.teardown(() => delivering.end())
  await delivering.query('begin')
  await delivering.query(
    'select from email.deliveries where message_id in (select id from email.messages where campaign_id = $1 limit 1) for update',
    [id],
  )
  const cancelled = await one.ask(`POST /send/v1/campaigns/${id}/cancel`)
  t.match([cancelled.status, cancelled.body.status], [200, 'cancelled'])
  await until(async () => (await read(one, id)).by_status.failed === 29)
  const { data } = (await one.ask(`GET /send/v1/messages?campaign_id=${id}&status=failed&limit=1`)).body
  t.match(data[0], { reply_class: 'cancelled', reason: 'The campaign was cancelled.' })
  t.equal((await one.ask(`POST /send/v1/campaigns/${id}/cancel`)).status, 200)
  t.equal((await one.ask(`POST /send/v1/campaigns/${id}/send`)).status, 409)
})

t.test('one that has ended is not cancelled any more', async (t) => {
  const one = await sender()
  const id = await create(one)
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  await until(async () => (await read(one, id)).ended_at !== null)
  const refused = await one.ask(`POST /send/v1/campaigns/${id}/cancel`)
  t.match([refused.status, refused.body.error.code], [409, 'conflict'])
  t.match(await read(one, id), { status: 'sent', progress: 1 })
})

t.test('it is refused while marketing is paused, stops when that happens midway, and is sent on later', async (t) => {
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', 1_500)
  const id = await create(one)
  const pause = sql.typeAlias('void')`
    insert into email.reputation (org_id, marketing, reason, paused_at) values (${one.orgId}, 'paused', 'bounces', now())
    on conflict (org_id) do update set marketing = 'paused'`
  const resume = sql.typeAlias('void')`update email.reputation set marketing = 'active' where org_id = ${one.orgId}`
  await db.query(pause)
  const refused = await one.ask(`POST /send/v1/campaigns/${id}/send`)
  t.match([refused.status, refused.body.error.code], [403, 'marketing_paused'])
  t.equal((await read(one, id)).status, 'draft')
  // As though it happened between the request's look and the first page.
  await db.query(resume)
  await db.transaction(async (tx) => {
    await sendCampaign(tx, one.orgId, id)
    await tx.query(pause)
  })
  t.match(await settled(one, id, 'paused'), { reason: /reputation gate/, by_status: { queued: 0 } })
  await db.query(resume)
  t.equal((await one.ask(`POST /send/v1/campaigns/${id}/send`)).status, 202)
  await settled(one, id, 'sent')
  t.equal((await recipients(id)).length, 1_500)
})

t.test('it stops where the plan’s month ends, and goes on from there', async (t) => {
  const one = await sender('free')
  await addContacts(db, one.orgId, 'confirmed', 3_100)
  const id = await create(one)
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  const paused = await settled(one, id, 'paused')
  t.match(paused, { reason: /used up/, by_status: { queued: 3_000 } })
  const refused = await one.ask(`POST /send/v1/campaigns/${id}/send`)
  t.match([refused.status, refused.body.error.code], [429, 'monthly_limit_reached'])
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  await db.query(sql.typeAlias('void')`update email.usage set messages = 0 where org_id = ${one.orgId}`)
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  await settled(one, id, 'sent')
  t.equal(new Set(await recipients(id)).size, 3_100)
})

t.test('a worker that ends between two pages doubles nothing', async (t) => {
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', 8_000)
  const id = await create(one)
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  await until(async () => (await recipients(id)).length >= 1_000, { every: 5 })
  await worker.stop()
  await campaignWorker(t, databaseUrl)
  await settled(one, id, 'sent')
  const reached = await recipients(id)
  t.equal(reached.length, 8_000)
  t.equal(new Set(reached).size, 8_000)
})

t.test('a sandbox key records its own campaigns and delivers nothing', async (t) => {
  await campaignWorker(t, databaseUrl)
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', 5)
  const live = await create(one)
  for (const request of ['GET', 'POST /send', 'POST /cancel'].map((each) => each.split(' '))) {
    const path = `${request[0]} /send/v1/campaigns/${live}${request[1] ?? ''}`
    t.equal((await one.ask(path, { key: one.sandbox })).status, 404, path)
  }
  for (const email of ['ann@rcpt.example', 'bob@rcpt.example'])
    await one.ask('POST /send/v1/contacts', { key: one.sandbox, body: { email } })
  const id = await create(one, {}, one.sandbox)
  const listed = (await one.ask('GET /send/v1/campaigns', { key: one.sandbox })).body.data
  t.match(listed, [{ id }], 'a live campaign is not shown to it')
  t.equal(listed.length, 1)
  await one.ask(`POST /send/v1/campaigns/${id}/send`, { key: one.sandbox })
  t.match(await settled(one, id, 'sent'), { sandbox: true, progress: 1, sent: 2, by_status: { sent: 2 } })
  t.equal((await one.ask('GET /send/v1/usage')).body.messages, 0)
})

t.test('others neither see nor send it; a domain must be verified, and the key allowed', async (t) => {
  const [one, other] = [await sender(), await sender()]
  const id = await create(one)
  for (const request of ['GET', 'POST /send', 'POST /cancel'].map((each) => each.split(' '))) {
    const path = `${request[0]} /send/v1/campaigns/${id}${request[1] ?? ''}`
    t.equal((await other.ask(path)).status, 404, path)
  }
  t.same((await other.ask('GET /send/v1/campaigns')).body.data, [])
  t.match((await one.ask('GET /send/v1/campaigns')).body.data, [{ id, name: 'November', status: 'draft' }])
  const body = { ...campaign('unknown.example') }
  t.equal((await one.ask('POST /send/v1/campaigns', { body })).body.error.code, 'domain_not_verified')
  const locked = await one.ask('POST /send/v1/campaigns', { key: one.locked, body: campaign(one.domain) })
  t.equal(locked.body.error.code, 'domain_not_allowed')
  const bad = { ...campaign(one.domain), name: 'a\nb', subject: 'x\r\nBcc: a@b.example', html: '', from_email: 'no' }
  const answer = await one.ask('POST /send/v1/campaigns', { body: bad })
  t.match(answer.body.error.details.map(({ field }: { field: string }) => field).sort(), [
    ...['body.from_email', 'body.html', 'body.name', 'body.subject'],
  ])
})
