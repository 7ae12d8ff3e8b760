import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { claim } from '#sql/email/delivery/claims.ts'
import { listLate } from '#sql/email/scheduled.ts'
import { cancelMessage } from '#tasks/email/rules/cancel-message.ts'
import { releaseScheduled } from '#tasks/email/rules/release-scheduled.ts'
import { emittedTo } from '../support/emitted.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'

const { db, sender } = await sending(t)
const Nothing = sql.typeAlias('void')
const Count = z.object({ count: z.number() })
const ahead = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
const release = (orgId: string) => db.transaction((tx) => releaseScheduled(tx, orgId, 500))
const arrive = (orgId: string) =>
  db.query(
    Nothing`update email.messages set send_at = now() - interval '1 second' where org_id = ${orgId} and send_at is not null`,
  )
const deliveries = (orgId: string) =>
  db.oneFirst(sql.type(Count)`select count(*) from email.deliveries where org_id = ${orgId}`)
const statusesOf = (orgId: string) =>
  db.anyFirst(sql.type(z.object({ status: z.string() }))`
    select status from email.messages where org_id = ${orgId} order by id`)

t.test('a message waits for its time, and then is delivered as any other', async (t) => {
  const own = await sender()
  const send_at = ahead(3_600)
  const sent = await own.send({ send_at, cc: ['bob@rcpt.example'] })
  t.match(sent.body, { status: 'scheduled', send_at, copies: [{ status: 'scheduled' }] })
  t.equal(await deliveries(own.orgId), 0)
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 2, 'it counts when it is accepted')
  const jobs = await db.any(sql.type(z.object({ at: z.string(), key: z.string() }))`
    select to_char(run_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, key from jobs_core._private_jobs
    where key like ${`${own.orgId}%`}`)
  t.match(jobs, [{ at: send_at }])
  t.equal(await release(own.orgId), 0, 'not before')
  await arrive(own.orgId)
  t.equal(await release(own.orgId), 2)
  t.equal(await release(own.orgId), 0, 'and once')
  t.equal(await deliveries(own.orgId), 2)
  t.same(await statusesOf(own.orgId), ['queued', 'queued'])
  t.same(
    emittedTo(own.orgId).map(({ type, data }) => [type, 'send_at' in data && data.send_at]),
    Array(2).fill(['email.accepted', send_at]),
  )
})

t.test('an instant that is over means now; a sandbox waits, too', async (t) => {
  const own = await sender()
  t.match((await own.send({ send_at: ahead(-60) })).body, { status: 'queued', send_at: undefined })
  const { body } = await own.send({ send_at: ahead(60) }, { key: own.sandbox })
  t.equal(body.status, 'scheduled')
  await arrive(own.orgId)
  await release(own.orgId)
  t.match((await own.ask(`GET /send/v1/messages/${body.id}`)).body, { status: 'sent', sandbox: true })
  t.equal(await deliveries(own.orgId), 1)
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 1)
})

t.test('a cancelled message never leaves, counts in no usage, and is told of once', async (t) => {
  const own = await sender()
  const { body } = await own.send({ send_at: ahead(60), bcc: ['bob@rcpt.example'], metadata: { a: 1 } })
  const cancelled = await own.ask(`POST /send/v1/messages/${body.id}/cancel`)
  t.equal(cancelled.status, 200)
  t.match(cancelled.body, { status: 'cancelled', cancelled_at: /Z$/, copies: [{ status: 'cancelled' }] })
  const again = await own.ask(`POST /send/v1/messages/${body.id}/cancel`)
  t.match([again.status, again.body.cancelled_at], [200, cancelled.body.cancelled_at])
  await arrive(own.orgId)
  t.equal(await release(own.orgId), 0)
  t.equal(await deliveries(own.orgId), 0)
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 0)
  const told = emittedTo(own.orgId).filter(({ type }) => type === 'email.cancelled')
  t.match(
    told.map(({ data }) => data),
    [
      { id: body.id, status: 'cancelled', metadata: { a: 1 } },
      { id: body.copies[0].id, status: 'cancelled' },
    ],
  )
})

t.test('what waits to be delivered is cancelled, and what is leaving is refused', async (t) => {
  const own = await sender()
  const [one, two] = [(await own.send()).body.id, (await own.send({ to: 'x@leaving.example' })).body.id]
  const cancel = (id: string, key = own.key) => own.ask(`POST /send/v1/messages/${id}/cancel`, { key })
  t.match((await cancel(one)).body, { status: 'cancelled' })
  const [claimed] = await claim(db, {
    connection: newId(),
    pool: 'transactional',
    mxSet: 'mx.leaving.example',
    domain: 'leaving.example',
    address: '',
    addresses: [''],
    limit: 1,
  })
  t.equal(claimed?.id, two)
  const refused = await cancel(two)
  t.match([refused.status, refused.body.error], [409, { code: 'message_left', details: { status: 'queued' } }])
  t.equal((await cancel(two, own.sandbox)).status, 404, 'a sandbox key changes nothing of what is live')
  t.equal((await cancel(newId())).status, 404)
  t.equal((await (await sender()).ask(`POST /send/v1/messages/${one}/cancel`)).status, 404)
  t.same(await statusesOf(own.orgId), ['cancelled', 'queued'])
})

t.test('of a release and a cancellation at once one wins: a message never both leaves and is cancelled', async (t) => {
  const own = await sender()
  const ids = await Promise.all(
    Array.from({ length: 40 }, async () => (await own.send({ send_at: ahead(60) })).body.id as string),
  )
  await arrive(own.orgId)
  const cancelled = await Promise.all([
    ...ids.map((id) => db.transaction((tx) => cancelMessage(tx, own.orgId, id))),
    ...Array.from({ length: 4 }, () => db.transaction((tx) => releaseScheduled(tx, own.orgId, 5)).then(() => 0)),
  ])
  const sum = cancelled.reduce((total, one) => total + one, 0)
  const statuses = await statusesOf(own.orgId)
  t.equal(statuses.filter((status) => status === 'cancelled').length, sum)
  t.equal(await deliveries(own.orgId), statuses.filter((status) => status === 'queued').length)
  t.ok(statuses.every((status) => status !== 'scheduled' || sum < 40))
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 40 - sum)
})

t.test('the transaction of a cancellation that waits for a release sees what that has done', async (t) => {
  const own = await sender()
  const { body } = await own.send({ send_at: ahead(60) })
  await arrive(own.orgId)
  const [released, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const releases = db.transaction(async (tx) => {
    await releaseScheduled(tx, own.orgId, 5)
    released.resolve()
    await goes.promise
  })
  await released.promise
  const waits = db.transaction((tx) => cancelMessage(tx, own.orgId, body.id))
  const waiting = () =>
    db.exists(sql.type(z.object({}))`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  await until(waiting, { what: 'the cancellation waits' })
  goes.resolve()
  await releases
  t.equal(await waits, 1, 'it is taken back from delivery')
  t.same(await statusesOf(own.orgId), ['cancelled'])
  t.equal(await deliveries(own.orgId), 0)
})

t.test('an organisation that is closing has its messages wait; a job that was lost is made up for', async (t) => {
  const own = await sender()
  await own.send({ send_at: ahead(60) })
  await db.query(Nothing`
    update email.messages set send_at = now() - interval '5 minutes' where org_id = ${own.orgId}`)
  t.ok((await listLate(db, 45_000, 1_000)).includes(own.orgId))
  await db.query(Nothing`
    insert into account.closures (id, org_id, requested_by_kind, due_at)
    values (${newId()}, ${own.orgId}, 'user', now() + interval '30 days')`)
  t.equal(await release(own.orgId), 0)
  t.notOk((await listLate(db, 45_000, 1_000)).includes(own.orgId))
})

t.test('who is suppressed before the time comes is not written to', async (t) => {
  const own = await sender()
  await db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${own.orgId}, 'ann@rcpt.example', 'manual')`)
  t.match((await own.send({ send_at: ahead(60) })).body, { status: 'suppressed' })
})

t.test('what waits for its time, or to be delivered, is not forgotten, nor what it says', async (t) => {
  const own = await sender()
  const [waits, queued, over] = [
    (await own.send({ send_at: ahead(60) })).body.id,
    (await own.send()).body.id,
    (await own.send({}, { key: own.sandbox })).body.id,
  ]
  await db.query(
    Nothing`update email.messages set created_at = now() - interval '200 days' where org_id = ${own.orgId}`,
  )
  await db.query(
    Nothing`update email.contents set created_at = now() - interval '200 days' where org_id = ${own.orgId}`,
  )
  await pruneArea(db, 'email')
  const kept = sql.type(z.object({ id: z.string() }))`
    select m.id from email.messages as m join email.contents as c on c.id = m.content_id
    where m.org_id = ${own.orgId} order by m.id`
  t.same(await db.anyFirst(kept), [waits, queued])
  t.equal((await own.ask(`GET /send/v1/messages/${over}`)).status, 404)
})
