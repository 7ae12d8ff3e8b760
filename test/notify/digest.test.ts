import t from 'tap'
import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { sendDigest } from '#tasks/notify/send-digest.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { until } from '../support/until.ts'
import { event, mailsOf, notifying, notifyWorker, person, type Teller } from './people.ts'

const { db, databaseUrl, teller } = await notifying(t)
let made = 0
const sender = () => teller({ domain: `shop${++made}.example` })
const digest = { window_minutes: 30 }
const email = 'ann@rcpt.example'

const Window = z.object({ id: z.string(), type: z.string(), minutes: z.number(), sent_at: z.date().nullable() })
const windowsOf = (orgId: string) =>
  db.any(sql.type(Window)`
    select id, type, round(extract(epoch from due_at - now()) / 60)::integer as minutes, sent_at
    from notify.digests where org_id = ${orgId} order by id`)

/** What the clock does when a window ends: its job, which waits for that, is due. */
async function end(one: Teller, jobs = 1): Promise<void> {
  await db.query(sql.typeAlias('void')`update notify.digests set due_at = now() where org_id = ${one.orgId}`)
  const open = (await windowsOf(one.orgId)).filter(({ sent_at }) => sent_at === null)
  for (const { id } of open) {
    await Promise.all(Array.from({ length: jobs }, () => enqueue(db, sendDigest, { digestId: id })))
  }
  await until(async () => (await windowsOf(one.orgId)).every(({ sent_at }) => sent_at !== null))
}

t.test('mail of a window goes out as one, at its end and not before; the inbox waits for nothing', async (t) => {
  const [one, user] = [await sender(), person()]
  await one.prefer(user, ['in_app', 'email'], { digest })
  const first = await one.tell(user, { email, title: 'First', body: 'One.', url: 'https://shop.example/1' })
  t.match(first.body.channels, [{}, { channel: 'email', used: true, digest: true }])
  await Promise.all(Array.from({ length: 20 }, (_, n) => one.tell(user, { email, title: `Next ${n}` })))
  t.equal((await one.inbox(user, 'limit=100')).length, 21)
  t.match(await windowsOf(one.orgId), [{ type: 'order.shipped', minutes: 30, sent_at: null }])
  const Job = z.object({ minutes: z.number() })
  const jobs = await db.any(sql.type(Job)`
    select round(extract(epoch from j.run_at - now()) / 60)::integer as minutes from jobs_core._private_jobs as j
    join jobs_core._private_tasks as k on k.id = j.task_id where k.identifier = 'notify/send-digest'`)
  t.same(jobs, [{ minutes: 30 }], 'one job, at the window’s end')
  await notifyWorker(t, databaseUrl)
  const [{ id } = { id: '' }] = await windowsOf(one.orgId)
  await enqueue(db, sendDigest, { digestId: id })
  const early = sql.typeAlias('count')`
    select count(*) from jobs_core._private_jobs where run_at > now() + interval '20 minutes'`
  await until(async () => (await db.oneFirst(early)) === 2, { what: 'a job that is early waits' })
  t.same(await mailsOf(db, one.orgId), [])

  await end(one, 5)
  const mails = await mailsOf(db, one.orgId)
  t.match(mails, [{ to: email, stream: 'transactional', subject: 'First (and 20 more)' }])
  t.equal(mails.length, 1)
  t.match(mails[0]?.text, /^First\n\nOne\.\n\nhttps:\/\/shop\.example\/1\n\n\* \* \*\n\nNext \d+\n/)
  const { copies } = (await one.ask(`GET /v1/notify/events/${first.body.id}`)).body
  t.match(copies, [{ status: 'accepted', message_id: mails[0]?.id }])

  await one.tell(user, { email, title: 'Alone', body: 'Text.' })
  t.match(await windowsOf(one.orgId), [{ sent_at: Date }, { minutes: 30, sent_at: null }])
  await end(one)
  t.match(await mailsOf(db, one.orgId), [{}, { subject: 'Alone', text: 'Text.\n' }])
})

t.test('a preference for all types has one window; one of a type has its own; urgent events have none', async (t) => {
  const [one, user] = [await sender(), person()]
  await one.prefer(user, ['email'], { type: '*', digest })
  await one.prefer(user, ['email'], { type: 'own', digest: { window_minutes: 60 } })
  await one.prefer(user, ['email'], { type: 'now' })
  for (const type of ['a', 'b', 'own', 'now']) await one.tell(user, { type, email, title: type })
  await one.tell(user, { type: 'a', channels: ['email'], email, title: 'urgent' })
  await one.tell(person(), { type: 'a', email })
  t.same((await windowsOf(one.orgId)).map(({ type, minutes }) => [type, minutes]).sort(), [
    ['*', 30],
    ['own', 60],
  ])
  await notifyWorker(t, databaseUrl)
  await end(one)
  await until(async () => (await mailsOf(db, one.orgId)).length === 4)
  t.same((await mailsOf(db, one.orgId)).map(({ subject }) => subject).sort(), [
    'a (and 1 more)',
    'now',
    'own',
    'urgent',
  ])
})

t.test('a window goes to each of its addresses, and what is refused is on record', async (t) => {
  const [one, user] = [await sender(), person()]
  await one.prefer(user, ['email'], { digest })
  const tell = async (email: unknown) => (await one.tell(user, { email })).body.id
  await tell(email)
  await tell('bob@rcpt.example')
  await tell({ to: email })
  const refused = await tell({ to: email, from: 'a@elsewhere.example' })
  await notifyWorker(t, databaseUrl)
  await end(one)
  const mails = await mailsOf(db, one.orgId)
  t.same(mails.map(({ to, subject }) => [to, subject.replace(/.*\(/, '(')]).sort(), [
    [email, '(and 1 more)'],
    ['bob@rcpt.example', 'Your order is on its way'],
  ])
  t.match((await one.ask(`GET /v1/notify/events/${refused}`)).body.copies, [
    { status: 'refused', reason: 'domain_not_verified', message_id: null },
  ])
})

t.test('events that come while a window is sent are in it or in the next one, none in both or neither', async (t) => {
  const [one, user] = [await sender(), person()]
  await one.prefer(user, ['email'], { digest })
  await notifyWorker(t, databaseUrl)
  const told: Promise<unknown>[] = []
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 15; n++) told.push(one.tell(user, { email, title: `t${round}-${n}.` }))
    await told.at(-1)
    for (let n = 0; n < 15; n++) told.push(one.tell(user, { email, title: `u${round}-${n}.` }))
    const [open] = (await windowsOf(one.orgId)).filter(({ sent_at }) => sent_at === null)
    await db.query(sql.typeAlias('void')`update notify.digests set due_at = now() where org_id = ${one.orgId}`)
    if (open) await enqueue(db, sendDigest, { digestId: open.id })
  }
  await Promise.all(told)
  await end(one)
  const texts = (await mailsOf(db, one.orgId))
    .map(({ subject, text }) => (text.includes('*') ? text : subject))
    .join('\n')
  const titles = texts.match(/^[tu]\d-\d+\./gm) ?? []
  t.equal(new Set(titles).size, 120)
  t.equal(titles.length, 120)
})

t.test('a window follows what changed since its events: address, preference, person, key', async (t) => {
  const one = await sender()
  const known = async (address: string) => {
    const user = person()
    await one.ask(`PUT /v1/notify/people/${user}`, { body: { email: address } })
    await one.prefer(user, ['email'], { digest })
    return user
  }
  const [moved, muted, gone, named, unreachable, open] = await Promise.all(
    ['moved', 'muted', 'gone', 'named', 'unreachable', 'open'].map((name) => known(`${name}@rcpt.example`)),
  )
  const told = async (user: string | undefined, facts = {}) => (await one.tell(user as string, facts)).body.id
  const events = {
    moved: await told(moved),
    muted: await told(muted),
    gone: await told(gone),
    named: await told(named, { email: 'given@rcpt.example' }),
    unreachable: await told(unreachable),
  }
  const { orgId } = one
  const revoked = await keys.create(db, { orgId, prefix: 'bt_live_', name: 'short', scopes: ['notify:write'] })
  const late = await one.ask('POST /v1/notify/events', { key: revoked.secret, body: event(open as string) })
  await keys.revoke(db, orgId, revoked.id)
  await one.ask(`PUT /v1/notify/people/${moved}`, { body: { email: 'new@rcpt.example' } })
  await one.prefer(muted as string, ['in_app'])
  await one.ask(`DELETE /v1/notify/people/${gone}`)
  await one.ask(`PUT /v1/notify/people/${named}`, { body: { email: 'other@rcpt.example' } })
  await one.ask(`PUT /v1/notify/people/${unreachable}`, { body: { name: 'Ann' } })
  await notifyWorker(t, databaseUrl)
  await end(one)
  t.same((await mailsOf(db, orgId)).map(({ to }) => to).sort(), ['given@rcpt.example', 'new@rcpt.example'])
  const cameOf = async (id: string) => (await one.ask(`GET /v1/notify/events/${id}`)).body.copies[0]
  t.match(await cameOf(events.muted), { status: 'refused', reason: 'preference' })
  t.match(await cameOf(events.gone), { status: 'refused', reason: 'person_removed' })
  t.match(await cameOf(events.unreachable), { status: 'refused', reason: 'no_address' })
  t.match(await cameOf(late.body.id), { status: 'refused', reason: 'key_revoked' })
})
