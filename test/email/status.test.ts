import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { commandLine } from '../support/millrace.ts'
import { pruneArea } from '../support/prune.ts'
import { outcomes, type Sender, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)
const { run, ask: askMillrace } = commandLine(databaseUrl)
const status = async (own: Sender) => (await own.ask('GET /send/v1/status')).body
/** As though so much had been delivered on that day. */
const delivered = (own: Sender, count: number, daysAgo: number) =>
  db.query(sql.typeAlias('void')`
    insert into email.daily (org_id, day, stream, accepted, sent, delivered, taken)
    values (${own.orgId}, (now() at time zone 'utc')::date - ${daysAgo}::integer, 'transactional', ${count}, ${count}, ${count}, ${count})
    on conflict (org_id, day, stream) do update set delivered = ${count}, taken = ${count}`)
/** As though a smarthost had taken so much on that day. */
const handedOver = (own: Sender, count: number) =>
  db.query(sql.typeAlias('void')`
    insert into email.daily (org_id, day, stream, accepted, sent, taken)
    values (${own.orgId}, (now() at time zone 'utc')::date - 1, 'transactional', ${count}, ${count}, ${count})`)
const send = async (own: Sender, count: number) =>
  await Promise.all(
    Array.from({ length: count }, async (_, n) => (await own.send({ to: `b${n}@rcpt.example` })).body.id as string),
  )

t.test('the gate pauses above 15 % hard bounces, says so, and only an operator resumes', async (t) => {
  const own = await sender()
  await delivered(own, 200, 1)
  const ids = await send(own, 36)
  const bounce = (messageId: string) => ({
    messageId,
    status: 'bounced' as const,
    hard: true,
    suppress: 'bounce' as const,
  })
  await outcomes(db, ids.slice(0, 35).map(bounce))
  t.match(await status(own), { marketing: 'active', warned_at: /Z$/, bounce_rate: 35 / 235, hard_bounced: 35 })
  await outcomes(db, ids.slice(35).map(bounce))
  t.match(await status(own), {
    marketing: 'paused',
    marketing_paused: true,
    reason: /bounce rate of 7 days is 15\.25 %, above 15 %/,
    paused_at: /Z$/,
    thresholds: { bounce: { pause: 0.15 }, complaint: { pause: 0.005 } },
    samples: { bounce: { tried: 200, hard: 10 } },
  })
  t.match(await askMillrace('email'), [{ org_id: own.orgId, marketing: 'paused' }])
  t.match(await run(`email resume ${own.orgId}`), { code: 0, out: /has been resumed/ })
  t.match(await status(own), { marketing: 'active', reason: null, hard_bounced: 0, counted_from: /^\d{4}-\d\d-\d\d$/ })
  t.match(await run(`email resume ${own.orgId}`), { code: 1, out: /is not paused/ })
  t.match(await run('email resume nobody'), { code: 2, err: /unknown organisation "nobody"/ })
  t.match((await askMillrace('actions'))[0], { action: 'resume', target: `marketing of ${own.orgId}`, actor: /@/ })
})

t.test('what a smarthost took is what the gate counts bounces and complaints against', async (t) => {
  const [few, angry] = [await sender(), await sender()]
  await handedOver(few, 5_000)
  const bounced = await send(few, 12)
  await outcomes(
    db,
    bounced.map((messageId) => ({ messageId, status: 'sent' as const })),
  )
  t.match(await status(few), { taken: 5_012, bounce_rate: 0 })
  const bounces = bounced.map((messageId) => ({ messageId, status: 'bounced' as const, hard: true }))
  await outcomes(db, bounces)
  t.match(await status(few), { marketing: 'active', taken: 5_000, delivered: 0, bounce_rate: 12 / 5_012 })
  await handedOver(angry, 994)
  const complained = await send(angry, 6)
  for (const outcome of ['sent', 'complained'] as const) {
    await outcomes(
      db,
      complained.map((messageId) => ({ messageId, status: outcome })),
    )
  }
  t.match(await status(angry), { marketing: 'paused', taken: 1_000, complaint_rate: 0.006, reason: /complaint rate/ })
})

t.test('what a worker of the release before delivered, which it does not count as taken, pauses nobody', async (t) => {
  const own = await sender()
  await delivered(own, 9_800, 1)
  await db.query(sql.typeAlias('void')`
    update email.daily set taken = 0, bounced = 200, hard_bounced = 200 where org_id = ${own.orgId}`)
  const [messageId = ''] = await send(own, 1)
  await outcomes(db, [{ messageId, status: 'bounced', hard: true }])
  t.match(await status(own), { marketing: 'active', taken: 9_800, bounce_rate: 201 / 10_001 })
  const { totals, rates } = (await own.ask('GET /send/v1/analytics/overview?days=3')).body
  t.match([totals, rates], [{ taken: 9_800 }, { bounce: 201 / 10_001 }])
})

t.test('analytics have every day, the totals and the rates', async (t) => {
  const own = await sender()
  await delivered(own, 90, 2)
  await outcomes(db, [
    ...(await send(own, 3)).map((messageId) => ({ messageId, status: 'delivered' as const })),
    { messageId: (await own.send({ stream: 'security' })).body.id, status: 'bounced', hard: true },
  ])
  const { status, body } = await own.ask('GET /send/v1/analytics/overview?days=3')
  t.equal(status, 200)
  t.match(body, {
    days: [{ delivered: 90 }, { accepted: 0, delivered: 0 }, { accepted: 4, sent: 3, delivered: 3, bounced: 1 }],
    totals: { accepted: 94, delivered: 93, hard_bounced: 1 },
    rates: { bounce: 1 / 94, complaint: 0, delivery: 93 / 94 },
  })
  t.match((await own.ask('GET /send/v1/analytics/overview?days=1&stream=security')).body.totals, {
    accepted: 1,
    bounced: 1,
  })
  t.equal((await own.ask('GET /send/v1/analytics/overview')).body.days.length, 30)
  for (const query of ['days=0', 'days=91', 'days=x', 'stream=news']) {
    t.equal((await own.ask(`GET /send/v1/analytics/overview?${query}`)).status, 400, query)
  }
})

t.test('suppressed addresses are listed, added, and let go, but for those who complained', async (t) => {
  const [own, other] = [await sender(), await sender()]
  const [gone, angry] = [await own.send({ to: 'gone@rcpt.example' }), await own.send({ to: 'angry@rcpt.example' })]
  await outcomes(db, [
    { messageId: gone.body.id, status: 'bounced', reason: '550 5.1.1 no such user', hard: true, suppress: 'bounce' },
    { messageId: angry.body.id, status: 'complained', suppress: 'complaint' },
  ])
  const added = await own.ask('POST /send/v1/suppressions', { body: { email: 'Old@RCPT.example' } })
  t.match([added.status, added.body], [201, { email: 'old@rcpt.example', reason: 'manual' }])
  t.equal((await own.send({ to: 'old@rcpt.example', stream: 'security' })).body.status, 'suppressed')
  const list = async (query = '') => (await own.ask(`GET /send/v1/suppressions${query}`)).body.data
  t.equal((await list()).length, 3)
  t.match(await list('?reason=bounce'), [
    { email: 'gone@rcpt.example', detail: '550 5.1.1 no such user', message_id: gone.body.id },
  ])
  const { body: page } = await own.ask('GET /send/v1/suppressions?limit=1')
  t.match(page.data, [{ email: 'old@rcpt.example' }])
  t.equal((await list(`?limit=5&cursor=${page.next_cursor}`)).length, 2)
  t.same((await other.ask('GET /send/v1/suppressions')).body.data, [])
  const remove = (email: string, who = own) => who.ask(`DELETE /send/v1/suppressions/${email}`)
  t.equal((await remove('gone@rcpt.example', other)).status, 404)
  t.match((await remove('GONE%40rcpt.example')).body, { email: 'gone@rcpt.example', deleted: true })
  t.equal((await remove('gone@rcpt.example')).status, 404)
  t.match((await remove('angry@rcpt.example')).body.error.code, 'complaint_stays')
  t.equal((await own.send({ to: 'gone@rcpt.example' })).body.status, 'queued')
  t.equal((await remove('no address')).status, 400)
})

t.test('contents are forgotten before messages, and never while a message is to be delivered', async (t) => {
  const own = await sender()
  const [waiting, done, old] = (await send(own, 3)) as [string, string, string]
  const age = (days: number) => sql.fragment`now() - make_interval(days => ${days})`
  await db.query(sql.typeAlias('void')`delete from email.deliveries where message_id in (${done}, ${old})`)
  await db.query(sql.typeAlias('void')`update email.contents set created_at = ${age(31)} where org_id = ${own.orgId}`)
  await db.query(sql.typeAlias('void')`update email.messages set created_at = ${age(181)} where id = ${old}`)
  await db.query(sql.typeAlias('void')`
    insert into email.attempts (id, org_id, message_id, number, outcome, pool, started_at, ended_at)
    values (${newId()}, ${own.orgId}, ${old}, 1, 'sent', 'transactional', now(), now())`)
  await pruneArea(db, 'email')
  t.same(await contentsOf(db, own.orgId), [waiting])
  t.equal((await own.ask(`GET /send/v1/messages/${done}`)).status, 200)
  t.equal((await own.ask(`GET /send/v1/messages/${old}`)).status, 404)
})

const contentsOf = (pool: DatabasePool, orgId: string) =>
  pool.anyFirst(sql.type(z.object({ id: z.string() }))`
    select m.id from email.contents as c join email.messages as m on m.content_id = c.id where c.org_id = ${orgId}`)
