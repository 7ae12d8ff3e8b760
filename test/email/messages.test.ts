import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { addContacts, message, outcomes, sending, verified } from './sending.ts'

const { db, sender } = await sending(t)
const one = await sender()
const count = (orgId: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from email.messages where org_id = ${orgId}`)
const pause = (orgId: string) =>
  db.query(sql.typeAlias('void')`
    insert into email.reputation (org_id, marketing, reason, paused_at) values (${orgId}, 'paused', 'bounces', now())`)

t.test('a message is queued, and read with its status, timestamps and delivery route', async (t) => {
  const sent = await one.send({
    reply_to: 'Help@Sender1.example',
    headers: { 'X-Order': '1042', 'In-Reply-To': '<a@b.example>' },
    html: '<p>Hi</p>',
    attachments: [
      { filename: 'a.pdf', content_type: 'application/pdf', content: 'JVBERi0=', content_id: 'a@b.example' },
    ],
  })
  t.equal(sent.status, 202)
  const { id, message_id } = sent.body
  t.match(sent.body, {
    accepted: true,
    stream: 'transactional',
    status: 'queued',
    message_id: /^[0-9a-f-]{36}@sender1\.example$/,
  })
  const tls = { version: 'TLSv1.3', cipher: 'x', verified: true }
  const replies = [{ stage: 'DOT', code: 250, enhanced: '2.0.0', text: 'ok', ms: 12.5 }]
  await db.query(sql.typeAlias('void')`
    insert into email.attempts (id, org_id, message_id, number, outcome, mx_host, mx_address, pool, local_address, tls,
      replies, started_at, ended_at)
    values (${newId()}, ${one.orgId}, ${id}, 1, 'delivered', 'mx.rcpt.example', '192.0.2.1', 'transactional', '192.0.2.10',
      ${sql.jsonb(tls)}, ${sql.jsonb(replies)}, now(), now())`)
  await outcomes(db, [{ messageId: id, status: 'delivered', replyClass: 'accepted' }])
  t.match((await one.ask(`GET /send/v1/messages/${id}`)).body, {
    id,
    message_id,
    status: 'delivered',
    reply_class: 'accepted',
    to: 'ann@rcpt.example',
    bounced_at: null,
    sent_at: /Z$/,
    delivered_at: /Z$/,
    from: { email: 'orders@sender1.example', name: 'Orders' },
    route: [{ number: 1, outcome: 'delivered', mx_host: 'mx.rcpt.example', local_address: '192.0.2.10', tls, replies }],
  })
  const Row = z.object({ reply_to: z.string(), headers: z.unknown(), attachments: z.unknown() })
  t.match(
    await db.one(sql.type(Row)`
      select c.reply_to, c.headers, c.attachments from email.contents as c
      join email.messages as m on m.content_id = c.id where m.id = ${id}`),
    {
      // The local part stays as it was given (RFC 5321 §2.4).
      reply_to: 'Help@sender1.example',
      headers: { 'X-Order': '1042' },
      attachments: [{ filename: 'a.pdf', content: 'JVBERi0=', content_id: 'a@b.example' }],
    },
  )
})

t.test('the list is filtered by status, stream and recipient, and shows nothing of others', async (t) => {
  const [own, other] = [await sender(), await sender()]
  await own.send({ to: 'bob@rcpt.example' })
  const { body } = await own.send({ to: 'Eve@RCPT.example', stream: 'security' })
  const list = async (query: string) => (await own.ask(`GET /send/v1/messages?${query}`)).body.data
  t.match(await list('to=EVE@rcpt.example'), [{ id: body.id, to: 'eve@rcpt.example' }])
  t.match(await list('stream=security&status=queued'), [{ id: body.id }])
  t.same(await list('status=bounced'), [])
  t.equal((await list('limit=1')).length, 1)
  t.same((await other.ask('GET /send/v1/messages')).body.data, [])
  t.equal((await other.ask(`GET /send/v1/messages/${body.id}`)).status, 404)
})

t.test('the list of any status is one look into an index', async (t) => {
  const own = await sender()
  await db.query(sql.typeAlias('void')`
    insert into email.messages (id, org_id, stream, domain_id, from_email, to_email, subject, content_id, message_id, status)
    select gen_random_uuid(), ${own.orgId}, 'transactional', gen_random_uuid(), 'a@a.example', 'b@b.example', 's',
      gen_random_uuid(), n::text, 'delivered' from generate_series(1, 5000) as n`)
  await db.query(sql.typeAlias('void')`analyze email.messages`)
  for (const status of ['queued', 'sent', 'failed', 'complained']) {
    const plan = await db.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
      explain select id from email.messages where org_id = ${own.orgId} and status = ${status} order by id desc limit 50`)
    t.match(plan.join('\n'), /messages_status/, status)
  }
})

t.test('repeated with one idempotency key, it is one message; with another body, a conflict', async (t) => {
  const own = await sender()
  const body = { idempotency_key: 'order-1', to: 'bob@rcpt.example' }
  const first = await own.send(body)
  const again = await own.send(body)
  t.equal(again.text, first.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal((await own.send({ ...body, subject: 'Another' })).status, 409)
  t.equal((await own.send({ to: 'bob@rcpt.example' }, { headers: { 'idempotency-key': 'order-2' } })).status, 202)
  t.equal((await own.send(body, { headers: { 'idempotency-key': 'order-3' } })).status, 400)
  const refused = { idempotency_key: 'order-4', from: { email: 'a@unknown.example' } }
  t.equal((await own.send(refused)).status, 403)
  await verified(db, own.orgId, 'unknown.example')
  t.equal((await own.send(refused)).status, 202, 'a refusal is not kept')
  t.equal(await count(own.orgId), 3)
})

t.test('200 at once are 200 messages, each to be delivered, and counted', async (t) => {
  const own = await sender()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => own.send({ to: `r${n}@rcpt.example`, idempotency_key: `k${n >> 1}x${n}` })),
  )
  t.ok(answers.every(({ status }) => status === 202))
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 200)
  t.equal(await count(own.orgId), 200)
  const deliveries = sql.type(z.object({ count: z.number() }))`
    select count(*) from email.deliveries where org_id = ${own.orgId} and pool = 'transactional' and to_domain = 'rcpt.example'`
  t.equal(await db.oneFirst(deliveries), 200)
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 200)
  t.equal((await own.ask('GET /send/v1/analytics/overview?days=1')).body.totals.accepted, 200)
})

t.test('with Prefer: wait it answers what became of it, and so does its repetition, at once', async (t) => {
  const own = await sender()
  const headers = { prefer: 'respond-async, wait=20' }
  const waits = own.send({ idempotency_key: 'w' }, { headers })
  const id = await until(() =>
    db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`select id from email.messages where org_id = ${own.orgId}`),
  )
  await outcomes(db, [{ messageId: id, status: 'delivered' }])
  const first = await waits
  t.match([first.status, first.body.status, first.headers.get('preference-applied')], [202, 'delivered', 'wait=20'])
  const again = await own.send({ idempotency_key: 'w' }, { headers })
  t.match([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'])
  const begun = performance.now()
  const late = await own.send({}, { headers: { prefer: 'wait=1' } })
  t.match(late.body, { status: 'queued' })
  t.ok(performance.now() - begun >= 990)
  t.equal(
    (await own.send({}, { headers: { prefer: 'wait=x, handling=strict' } })).headers.get('preference-applied'),
    null,
  )
})

t.test('the From domain must be verified, and the key allowed to send from it', async (t) => {
  const code = async (body: object, key = one.key) => {
    const { status, body: answer } = await one.send(body as Record<string, unknown>, { key })
    return [status, answer.error?.code]
  }
  t.same(await code({ from: { email: 'a@unknown.example' } }), [403, 'domain_not_verified'])
  t.same(await code({ from: { email: 'a@sub.sender1.example' } }), [403, 'domain_not_verified'])
  await db.query(sql.typeAlias('void')`
    insert into email.domains (id, org_id, domain, return_path)
    values (${newId()}, ${one.orgId}, 'pending.example', 'b.pending.example')`)
  t.same(await code({ from: { email: 'a@pending.example' } }), [403, 'domain_not_verified'])
  const other = await sender()
  t.same(await code({ from: { email: `a@${other.domain}` } }), [403, 'domain_not_verified'])
  t.same(await code({}, one.locked), [403, 'domain_not_allowed'])
  await verified(db, one.orgId, 'elsewhere.example')
  t.same(await code({ from: { email: 'a@Elsewhere.example' } }, one.locked), [202, undefined])
})

t.test('each stream reaches whom it may, and no one else', async (t) => {
  const own = await sender()
  for (const [n, status] of ['confirmed', 'unconfirmed', 'unsubscribed'].entries()) {
    await addContacts(db, own.orgId, status, 1, n)
  }
  const to = { confirmed: 'c1', unconfirmed: 'c2', unsubscribed: 'c3', nobody: 'c4' }
  const rules = {
    transactional: { confirmed: 202, unconfirmed: 202, unsubscribed: 202, nobody: 202 },
    security: { confirmed: 202, unconfirmed: 202, unsubscribed: 202, nobody: 202 },
    subscribed: {
      confirmed: 202,
      unconfirmed: 'contact_not_confirmed',
      unsubscribed: 'contact_unsubscribed',
      nobody: 'contact_not_confirmed',
    },
    repermission: {
      confirmed: 202,
      unconfirmed: 202,
      unsubscribed: 'contact_unsubscribed',
      nobody: 'contact_not_confirmed',
    },
  }
  for (const [stream, expected] of Object.entries(rules)) {
    for (const [who, answer] of Object.entries(expected)) {
      const text = 'Shall we write to you? {{confirm_url}}'
      const { status, body } = await own.send({ stream, text, to: `${to[who as keyof typeof to]}@rcpt.example` })
      t.equal(body.error?.code ?? status, answer, `${stream} to ${who}`)
      if (body.error) t.equal(status, 403)
    }
  }
  await pause(own.orgId)
  const code = async (stream: string) => {
    const { status, body } = await own.send({ stream, to: 'c1@rcpt.example' })
    return body.error?.code ?? status
  }
  for (const stream of ['subscribed', 'repermission']) t.equal(await code(stream), 'marketing_paused')
  for (const stream of ['transactional', 'security']) t.equal(await code(stream), 202)
  const pools = sql.type(z.object({ stream: z.string(), pool: z.string() }))`
    select distinct m.stream, d.pool from email.deliveries as d join email.messages as m on m.id = d.message_id
    where m.org_id = ${own.orgId} order by m.stream`
  t.same(await db.any(pools), [
    { stream: 'repermission', pool: 'campaign' },
    { stream: 'security', pool: 'transactional' },
    { stream: 'subscribed', pool: 'campaign' },
    { stream: 'transactional', pool: 'transactional' },
  ])
})

t.test('to a suppressed address it is recorded and goes no way', async (t) => {
  const own = await sender()
  const suppress = (email: string, reason: string) =>
    db.query(sql.typeAlias('void')`
      insert into email.suppressions (org_id, email, reason) values (${own.orgId}, ${email}, ${reason})`)
  await suppress('gone@rcpt.example', 'bounce')
  await suppress('angry@rcpt.example', 'complaint')
  const status = async (to: string, stream: string) => (await own.send({ to, stream })).body.status
  t.equal(await status('Gone@rcpt.example', 'security'), 'suppressed')
  t.equal(await status('angry@rcpt.example', 'transactional'), 'suppressed')
  t.equal(await status('angry@rcpt.example', 'security'), 'queued')
  const { data } = (await own.ask('GET /send/v1/messages?to=gone@rcpt.example')).body
  t.match(data, [{ status: 'suppressed', reason: /suppression list: bounce/, suppressed_at: /Z$/ }])
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 1)
  t.match((await own.ask('GET /send/v1/analytics/overview?days=1')).body.totals, { accepted: 1, suppressed: 2 })
})

t.test('a sandbox key records and never delivers, and counts nowhere', async (t) => {
  const own = await sender()
  const { status, body } = await own.send({ idempotency_key: 's' }, { key: own.sandbox })
  t.match([status, body.status], [202, 'sent'])
  const live = await own.send({ idempotency_key: 's' })
  t.not(live.body.id, body.id, 'its idempotency keys are its own')
  t.match((await own.ask(`GET /send/v1/messages/${body.id}`)).body, { sandbox: true, status: 'sent', route: [] })
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 1)
  t.match((await own.ask('GET /send/v1/analytics/overview?days=1')).body.totals, { accepted: 1, sent: 0 })
})

t.test('the plan’s month has an end, also for those who ask at once', async (t) => {
  const own = await sender('free')
  await db.query(sql.typeAlias('void')`
    insert into email.usage (org_id, month, messages)
    values (${own.orgId}, date_trunc('month', now() at time zone 'utc')::date, 2990)`)
  const answers = await Promise.all(Array.from({ length: 20 }, () => own.send()))
  t.equal(answers.filter(({ status }) => status === 202).length, 10)
  const refused = answers.find(({ status }) => status === 429)
  t.match(refused?.body.error, {
    code: 'monthly_limit_reached',
    details: { monthly_messages: 3000, resets_at: /-01T00:00/ },
  })
  t.ok(Number(refused?.headers.get('retry-after')) > 0)
  t.equal((await own.send({}, { key: own.sandbox })).status, 202)
  t.match((await own.ask('GET /send/v1/usage')).body, { messages: 3000, cap: 3000, remaining: 0 })
  t.equal((await own.send({ stream: 'security' })).status, 202, 'a code to log in with is not held by it')
  t.match((await own.ask('GET /send/v1/usage')).body, { messages: 3001, remaining: 0 })
  t.equal((await own.send()).status, 429)
})

t.test('large attachments of many at once are all kept', async (t) => {
  const own = await sender()
  const content = Buffer.alloc(3 * 1024 * 1024, 7).toString('base64')
  const attachments = [1, 2].map((n) => ({ filename: `${n}.bin`, content }))
  const answers = await Promise.all(Array.from({ length: 4 }, () => own.send({ attachments })))
  t.same(
    answers.map(({ status }) => status),
    [202, 202, 202, 202],
  )
  const Row = z.object({ bytes: z.number() })
  const kept = await db.any(sql.type(Row)`
    select length(attachments -> 1 ->> 'content') as bytes from email.contents where org_id = ${own.orgId}`)
  t.same(
    kept.map(({ bytes }) => bytes),
    Array(4).fill(content.length),
  )
  const { id: _, ...rest } = { id: 0, ...message(own.domain) }
  t.equal((await own.send({ ...rest, text: 'x'.repeat(15 * 1024 * 1024) })).status, 413)
})
