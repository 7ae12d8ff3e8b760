import t from 'tap'
import { z } from 'zod'
import { lockRoom, put as putBudget } from '#sql/account/usage/budgets.ts'
import { type Db, sql } from '#sql/db.ts'
import { reserve } from '#sql/email/campaign-reservations.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import { endIfFinished } from '#tasks/email/end-campaign.ts'
import { until } from '../support/until.ts'
import { addContacts, campaignWorker, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)

type Sender = Awaited<ReturnType<typeof sender>>

async function started(contacts: number) {
  const one = await sender()
  await addContacts(db, one.orgId, 'confirmed', contacts)
  const body = { name: 'November', subject: 'News', html: '<h1>News</h1>', from_email: `news@${one.domain}` }
  const { id } = (await one.ask('POST /send/v1/campaigns', { key: one.key, body })).body
  await one.ask(`POST /send/v1/campaigns/${id}/send`)
  return { one, id: id as string }
}

const reserveSome = (id: string, messages: number) =>
  db.transaction(async (tx) => reserve(tx, (await campaigns.lock(tx, id)) as campaigns.Campaign, messages))
const settled = (one: Sender, id: string, status: string) =>
  until(async () => (await one.ask(`GET /send/v1/campaigns/${id}`)).body.status === status)
const usageOf = async (one: Sender): Promise<number> => (await one.ask('GET /send/v1/usage')).body.messages
const days = (one: Sender) =>
  db.any(sql.type(z.object({ age: z.number(), amount: z.number() }))`
    select (now() at time zone 'utc')::date - day as age, amount from account.usage_daily
    where org_id = ${one.orgId} and metric = 'email.messages' and dimension = '' order by 1`)
const reservedOf = async (one: Sender, id: string) => (await campaigns.find(db, one.orgId, id))?.reserved

const waiting = {
  old: await started(100),
  dead: await started(250),
  late: await started(120),
  cancelled: await started(300),
  limited: await started(100),
}

t.test('messages that were reserved by a dead worker are counted once', async (t) => {
  const { one, id } = waiting.dead
  t.equal(await reserveSome(id, 170), 170)
  t.equal(await usageOf(one), 170)
  t.equal(await reserveSome(id, 200), 200, 'a reservation replaces the one before')
  t.equal(await usageOf(one), 200)
})

t.test('a reservation of another day is given back to its day', async (t) => {
  const { one, id } = waiting.late
  await reserveSome(id, 120)
  await db.query(sql.typeAlias('void')`
    update email.campaigns set reserved_at = reserved_at - interval '1 day' where id = ${id}`)
  await db.query(sql.typeAlias('void')`
    update account.usage_daily set day = day - 1 where org_id = ${one.orgId} and metric = 'email.messages'`)
  await db.query(sql.typeAlias('void')`
    update email.usage set month = date_trunc('month', now() at time zone 'utc' - interval '1 day')::date
    where org_id = ${one.orgId}`)
  t.equal((await campaigns.find(db, one.orgId, id))?.reserved, 120)
})

/** True if another session waits for this one. */
const isBlocking = (tx: Db) =>
  tx.exists(sql.type(z.object({}))`
    select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`)

t.test('a reservation locks the budget before the usage, as single messages do', async (t) => {
  const { one, id } = waiting.limited
  const budget = { org_id: one.orgId, metric: 'email.messages', period: 'month', soft: null, hard: 1_000 } as const
  await putBudget(db, { ...budget, alert_at: [] })
  await reserveSome(id, 60)
  const { promise: locked, resolve } = Promise.withResolvers<void>()
  const single = db.transaction(async (tx) => {
    await lockRoom(tx, 'email.messages', [one.orgId])
    resolve()
    await until(() => isBlocking(tx), { what: 'the campaign waits for the budget' })
    await tx.query(sql.typeAlias('void')`
      select from email.usage where org_id = ${one.orgId} for update nowait`)
  })
  await locked
  const [, granted] = await Promise.all([single, reserveSome(id, 100)])
  t.equal(granted, 100)
  t.equal(await usageOf(one), 100)
})

t.test('a cancelled campaign gives back what it has reserved', async (t) => {
  const { one, id } = waiting.cancelled
  await reserveSome(id, 300)
  t.equal(await usageOf(one), 300)
  t.equal((await one.ask(`POST /send/v1/campaigns/${id}/cancel`)).status, 200)
  t.equal(await usageOf(one), 0)
  t.equal(await reservedOf(one, id), 0)
})

t.test('a campaign that a worker of the previous release has sent gives back its reservation', async (t) => {
  const { one, id } = waiting.old
  await reserveSome(id, 100)
  await db.transaction((tx) => campaigns.finish(tx, id))
  t.equal(await db.transaction((tx) => endIfFinished(tx, id)), true)
  t.equal(await usageOf(one), 0)
  t.equal(await reservedOf(one, id), 0)
})

t.test('at the end, the usage is the number of messages', async (t) => {
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (org_id, email, reason) values (${waiting.dead.one.orgId}, 'c7@rcpt.example', 'bounce')`)
  await campaignWorker(t, databaseUrl)
  for (const [{ one, id }, messages] of [
    [waiting.dead, 249],
    [waiting.late, 120],
    [waiting.limited, 100],
  ] as const) {
    await settled(one, id, 'sent')
    t.equal(await usageOf(one), messages)
    t.equal(await reservedOf(one, id), 0)
  }
  t.same(await days(waiting.dead.one), [{ age: 0, amount: 249 }])
  t.same(await days(waiting.late.one), [
    { age: 0, amount: 120 },
    { age: 1, amount: 0 },
  ])
})
