import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { message, sending } from './sending.ts'

const { db, sender } = await sending(t)
const Nothing = sql.typeAlias('void')
const count = (orgId: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from email.messages where org_id = ${orgId}`)

async function batcher(plan?: string) {
  const own = await sender(plan)
  const batch = (messages: unknown, more: Record<string, unknown> = {}, options = {}) =>
    own.ask('POST /send/v1/messages/batch', { ...options, body: { messages, ...more } })
  return { ...own, batch, one: (more: object = {}) => ({ ...message(own.domain), ...more }) }
}

t.test('each of a hundred messages is answered in its place, and to be delivered', async (t) => {
  const own = await batcher()
  const answer = await own.batch(Array.from({ length: 100 }, (_, i) => own.one({ to: `r${i}@rcpt.example` })))
  t.equal(answer.status, 202)
  t.match(answer.body, { accepted: 100, refused: 0 })
  t.same(
    answer.body.data.map(({ index }: { index: number }) => index),
    Array.from({ length: 100 }, (_, i) => i),
  )
  t.equal(new Set(answer.body.data.map(({ id }: { id: string }) => id)).size, 100)
  const waiting = sql.type(z.object({ count: z.number() }))`
    select count(*) from email.deliveries where org_id = ${own.orgId}`
  t.equal(await db.oneFirst(waiting), 100)
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 100)
  const { body } = await own.ask(`GET /send/v1/messages/${answer.body.data[7].id}`)
  t.equal(body.to, 'r7@rcpt.example')
})

t.test('one that is refused harms no other, and names its fields as it does when it comes alone', async (t) => {
  const own = await batcher()
  await db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${own.orgId}, 'gone@rcpt.example', 'bounce')`)
  const answer = await own.batch([
    own.one(),
    own.one({ to: 'x', subject: '' }),
    'no object',
    own.one({ from: { email: 'a@unknown.example' } }),
    own.one({ to: 'gone@rcpt.example' }),
    own.one({ template_id: '0198f1c2-7f00-7000-8000-000000000001' }),
    own.one({ stream: 'subscribed' }),
    own.one({ idempotency_key: 'mine' }),
    own.one({ cc: ['bob@rcpt.example'], send_at: new Date(Date.now() + 60_000).toISOString() }),
    own.one({ subject: 'half a character: \ud800' }),
  ])
  t.equal(answer.status, 202)
  t.match(answer.body, { accepted: 3, refused: 7 })
  const { data } = answer.body
  t.match(data[0], { accepted: true, index: 0, status: 'queued' })
  const fields = (index: number) => data[index].error.details.map(({ field }: { field: string }) => field).sort()
  t.equal(data[1].error.code, 'bad_request')
  t.same(fields(1), ['body.messages.1.subject', 'body.messages.1.to'])
  t.same(fields(2), ['body.messages.2'])
  t.match(data[3], {
    accepted: false,
    index: 3,
    error: { code: 'domain_not_verified', details: { domain: 'unknown.example' } },
  })
  t.match(data[4], { accepted: true, status: 'suppressed' })
  t.same(fields(5), ['body.messages.5.template_id'])
  t.match(data[6].error, { code: 'contact_not_confirmed' })
  t.same(fields(7), ['body.messages.7.idempotency_key'])
  t.same(fields(9), ['body.messages.9.subject'])
  t.match(data[8], { accepted: true, status: 'scheduled', copies: [{ to: 'bob@rcpt.example', status: 'scheduled' }] })
  t.equal(await count(own.orgId), 4)
})

t.test('repeated with its key, or by several at once, it is one batch; with another body a conflict', async (t) => {
  const own = await batcher()
  const messages = Array.from({ length: 20 }, (_, i) => own.one({ to: `r${i}@rcpt.example` }))
  const all = await Promise.all(Array.from({ length: 4 }, () => own.batch(messages, { idempotency_key: 'monday' })))
  t.equal(new Set(all.map(({ text }) => text)).size, 1)
  t.same(
    all.map(({ status }) => status),
    [202, 202, 202, 202],
  )
  t.equal(await count(own.orgId), 20)
  t.equal((await own.batch(messages.slice(1), { idempotency_key: 'monday' })).status, 409)
  t.equal((await own.batch(messages.slice(1), {}, { headers: { 'idempotency-key': 'tuesday' } })).status, 202)
  t.equal(await count(own.orgId), 39)
})

t.test('the plan’s month is shared out in the batch’s order', async (t) => {
  const own = await batcher('free')
  await db.query(Nothing`
    insert into email.usage (org_id, month, messages)
    values (${own.orgId}, date_trunc('month', now() at time zone 'utc')::date, 2997)`)
  const { body } = await own.batch([
    own.one(),
    own.one({ cc: ['b@rcpt.example'], bcc: ['c@rcpt.example'] }),
    own.one(),
    own.one({ stream: 'security' }),
    own.one(),
    own.one(),
  ])
  t.same(
    body.data.map((one: { accepted: boolean; error?: { code: string } }) => one.error?.code ?? one.accepted),
    [true, 'monthly_limit_reached', true, true, true, 'monthly_limit_reached'],
  )
  t.match(body.data[1].error.details, { monthly_messages: 3000 })
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 3001)
})

t.test('what is no batch is refused as a whole', async (t) => {
  const own = await batcher()
  for (const [messages, field] of [
    [undefined, 'body.messages'],
    [[], 'body.messages'],
    ['x', 'body.messages'],
    [{}, 'body.messages'],
    [Array.from({ length: 101 }, () => own.one()), 'body.messages'],
  ] as const) {
    const answer = await own.batch(messages)
    t.match([answer.status, answer.body.error.details[0].field], [400, field])
  }
  t.equal((await own.batch([own.one()], { idempotency_key: '' })).status, 400)
  t.equal((await own.batch([own.one()], { dry_run: true })).status, 400)
  const cc = Array.from({ length: 40 }, (_, i) => `c${i}@rcpt.example`)
  const crowded = await own.batch(Array.from({ length: 30 }, () => own.one({ cc })))
  t.match([crowded.status, crowded.body.error.details[0].issue], [400, /1000 recipients in total, but has 1230/])
  t.equal(await count(own.orgId), 0)
})

t.test('a sandbox key’s batch is recorded alone', async (t) => {
  const own = await batcher()
  const { body } = await own.batch(
    [own.one(), own.one({ from: { email: 'me@anything.example' } })],
    {},
    { key: own.sandbox },
  )
  t.match(body, { accepted: 2, data: [{ status: 'sent' }, { status: 'sent' }] })
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 0)
})
