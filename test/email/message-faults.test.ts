import { once } from 'node:events'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { ask, ingressProcess } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { message, sending } from './sending.ts'

t.setTimeout(240_000)
const { db, databaseUrl, sender } = await sending(t)
const stack = await mailStack(t, 'other.example', { url: databaseUrl, db })
const Nothing = sql.typeAlias('void')
const Count = z.object({ count: z.number() })
const lease = { LEASE_MS: '1500', SWEEP_MS: '200' }
const kept = (orgId: string) =>
  db.oneFirst(sql.type(Count)`
    select (select count(*) from email.messages where org_id = ${orgId})
      + (select count(*) from email.deliveries where org_id = ${orgId})
      + (select count(*) from email.contents where org_id = ${orgId}) as count`)

/** Holds what a statement locks until the function that is returned is called. */
async function hold(statement: ReturnType<typeof Nothing>): Promise<() => Promise<void>> {
  const [held, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holds = db.transaction(async (tx) => {
    await tx.query(statement)
    held.resolve()
    await goes.promise
  })
  await Promise.race([held.promise, holds])
  return async () => {
    goes.resolve()
    await holds
  }
}

/** An organisation with a domain that its mail is signed for, and a batch of it. */
async function shop(count: number, more: object = {}) {
  const own = await sender()
  const domain = `shop.${own.domain}`
  await addDomain(db, own.orgId, domain)
  const messages = Array.from({ length: count }, (_, i) => ({
    ...message(domain),
    to: `r${i}@${own.domain}`,
    ...more,
  }))
  const batch = { body: { messages, idempotency_key: 'batch' }, key: own.key }
  return { ...own, batch }
}

t.test(
  'a worker that is killed in the middle of a batch loses none of it, and sends only what was in flight twice',
  async (t) => {
    const [count, most] = [isWhole ? 100 : 40, 10]
    const holds: (() => void)[] = []
    let isHolding = false
    const sink = await startSink(t, '127.0.0.1', 0, {
      onMail: () => (isHolding ? new Promise((done) => holds.push(() => done(undefined))) : undefined),
    })
    const environment = { ...lease, MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}` }
    const worker = await stack.startWorkers(environment, 'mail-transactional')
    const own = await shop(count)
    t.match((await own.ask('POST /send/v1/messages/batch', own.batch)).body, { accepted: count })
    await until(() => sink.mails.length > count / 4, { what: 'a quarter has arrived', every: 5 })
    isHolding = true
    await until(() => holds.length > 0 || sink.mails.length === count, { what: 'one is in flight' })
    await worker.kill()
    isHolding = false
    for (const done of holds) done()
    const another = await stack.startWorkers(environment, 'mail-transactional')
    const left = () => db.oneFirst(sql.type(Count)`select count(*) from email.deliveries where org_id = ${own.orgId}`)
    await until(async () => (await left()) === 0, { what: 'nothing waits any more', timeout: 60_000 })
    const mine = sink.mails.filter(({ to }) => to.endsWith(`@${own.domain}`))
    t.equal(new Set(mine.map(({ to }) => to)).size, count, 'none is lost')
    t.ok(mine.length - count <= most, `${mine.length - count} arrived twice, of at most ${most} in flight`)
    const wrong = sql.type(Count)`
    select count(*) from email.messages where org_id = ${own.orgId} and status <> 'sent'`
    t.equal(await db.oneFirst(wrong), 0)
    t.equal((await own.ask('GET /send/v1/usage')).body.messages, count)
    await another.stop()
  },
)

t.test('an ingress that is killed at a batch has taken nothing of it; repeated, it is taken once', async (t) => {
  const own = await shop(100)
  await db.query(Nothing`
    insert into email.usage (org_id, month) values (${own.orgId}, date_trunc('month', now() at time zone 'utc')::date)`)
  const module = import.meta.resolve('./email-areas.ts')
  const first = await ingressProcess(t, databaseUrl, module)
  const { pid } = (await ask(first, 'GET /send/v1/pid', { key: own.key })).body
  const waiting = () =>
    db.exists(sql.type(z.object({}))`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%email.usage%'`)
  const letGo = await hold(Nothing`select from email.usage where org_id = ${own.orgId} for update`)
  const lost = ask(first, 'POST /send/v1/messages/batch', own.batch).then(
    ({ status }) => status,
    () => 'no answer',
  )
  await until(waiting, { what: 'the batch is being recorded' })
  process.kill(pid, 'SIGKILL')
  t.equal(await lost, 'no answer')
  await letGo()
  await until(async () => !(await waiting()), { what: 'its transaction is over' })
  t.equal(await kept(own.orgId), 0)
  const second = await ingressProcess(t, databaseUrl, module)
  const answer = await ask(second, 'POST /send/v1/messages/batch', own.batch)
  t.match([answer.status, answer.body.accepted], [202, 100])
  t.equal(await kept(own.orgId), 300)
  const again = await ask(second, 'POST /send/v1/messages/batch', own.batch)
  t.match([again.text, again.headers.get('idempotent-replayed')], [answer.text, 'true'])
  t.equal(await kept(own.orgId), 300)
  await db.query(Nothing`delete from email.deliveries where org_id = ${own.orgId}`)
})

t.test('a worker that is killed at the time of scheduled messages has each of them leave, and once', async (t) => {
  const sink = await startSink(t, '127.0.0.1', 0)
  const environment = { ...lease, MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}` }
  const at = new Date(Date.now() + 20_000)
  const own = await shop(30, { send_at: at.toISOString() })
  t.match((await own.ask('POST /send/v1/messages/batch', own.batch)).body, { accepted: 30 })
  // What releases them stands before this until it dies, also if the worker starts after their time.
  const letGo = await hold(Nothing`lock table email.deliveries in share mode`)
  const worker = await stack.startWorkers(environment, 'core,mail-transactional')
  const ended = once(worker.process, 'exit')
  const standing = () =>
    db.exists(sql.type(z.object({}))`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%insert into%deliveries%'`)
  await until(standing, { what: 'they are being released' })
  await worker.kill()
  await ended
  await letGo()
  const another = await stack.startWorkers(environment, 'core,mail-transactional')
  const sent = () =>
    db.oneFirst(sql.type(Count)`select count(*) from email.messages where org_id = ${own.orgId} and status = 'sent'`)
  await until(async () => (await sent()) === 30, { what: 'all have left', timeout: 60_000 })
  t.equal(sink.mails.length, 30)
  t.equal(new Set(sink.mails.map(({ to }) => to)).size, 30)
  for (const { raw } of sink.mails.slice(0, 1)) {
    const [, date = ''] = /^Date: (.*)\r$/m.exec(raw.toString()) ?? []
    t.equal(Date.parse(date), Math.floor(at.getTime() / 1_000) * 1_000, 'its Date is the time that was asked for')
  }
  await another.stop()
})
