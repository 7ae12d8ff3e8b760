import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import { testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { outcomes, sending, verified } from './sending.ts'

const { db, ingress, sender } = await sending(t, ['account'])
const shop = await sender()

const whole = {
  html: '<p>Your code: <b>1042</b></p>',
  text: undefined,
  reply_to: 'Help@shop.example',
  headers: { 'X-Order': '1042' },
  tags: [{ name: 'kind', value: 'order' }],
  metadata: { order: 1042 },
  attachments: [
    { filename: 'bill.pdf', content_type: 'application/pdf', content: 'JVBERi0=' },
    { filename: 'logo.png', content_type: 'image/png', content: '', content_id: 'logo@shop.example' },
  ],
}

async function delivered(from: typeof shop, body: object = {}): Promise<string> {
  const sent = await from.send({ ...body })
  t.equal(sent.status, 202, sent.text)
  await db.query(sql.typeAlias('void')`delete from email.deliveries where message_id = ${sent.body.id}`)
  await outcomes(db, [{ messageId: sent.body.id, status: 'delivered', replyClass: 'accepted' }])
  return sent.body.id
}

const contentOf = (id: string, options = {}) => shop.ask(`GET /send/v1/messages/${id}/content`, options)
const resend = (id: string, options = {}) => shop.ask(`POST /send/v1/messages/${id}/resend`, options)
const read = async (id: string) => (await shop.ask(`GET /send/v1/messages/${id}`)).body
const countOf = (orgId: string) =>
  db.oneFirst(
    sql.type(z.object({ n: z.number() }))`select count(*)::integer as n from email.messages where org_id = ${orgId}`,
  )
/** What the row of a content has, without what each row has of its own. */
async function stored(messageId: string) {
  const [row] = await contents.findContents(
    db,
    await db.anyFirst(sql.type(z.object({ content_id: z.string() }))`
      select content_id from email.messages where id = ${messageId}`),
  )
  const { id: _, created_at: __, ...rest } = row as contents.Content
  return rest
}
const expireContents = () =>
  db.query(sql.typeAlias('void')`update email.contents set created_at = now() - interval '31 days'`)

t.test('the content of a message is read with its own scope, and the audit log records it', async (t) => {
  const id = await delivered(shop, whole)
  const { status, body } = await contentOf(id)
  t.equal(status, 200)
  t.match(body, {
    id,
    subject: 'Your order',
    from: { email: `orders@${shop.domain}`, name: 'Orders' },
    to: 'ann@rcpt.example',
    reply_to: 'Help@shop.example',
    headers: { 'X-Order': '1042' },
    html: whole.html,
    text: 'Your code: 1042',
    kept_until: /Z$/,
  })
  t.strictSame(body.attachments, [
    { filename: 'bill.pdf', content_type: 'application/pdf', content_id: null, byte_size: 5 },
    { filename: 'logo.png', content_type: 'image/png', content_id: 'logo@shop.example', byte_size: 0 },
  ])
  await contentOf(id)
  const acts = await db.any(sql.type(z.object({ action: z.string(), target: z.string(), actor_kind: z.string() }))`
    select action, target, actor_kind from account.audit where org_id = ${shop.orgId} and action = 'contents.read'`)
  t.strictSame([...acts], [{ action: 'contents.read', target: id, actor_kind: 'key' }])
  const { keys } = await testOrg(db, ['email:send', 'email:manage'])
  t.equal((await contentOf(id, { key: keys.main })).status, 403)
})

t.test('neither call shows another organisation, another domain, or live mail to a test key', async (t) => {
  const id = await delivered(shop)
  const other = await sender()
  for (const key of [other.key, shop.locked, shop.sandbox]) {
    t.match(await contentOf(id, { key }), { status: 404, body: { error: { code: 'not_found' } } })
    t.match(await resend(id, { key }), { status: 404, body: { error: { code: 'not_found' } } })
  }
})

t.test('a resent message has the same content, recipient and options, and names the original', async (t) => {
  const id = await delivered(shop, { ...whole, to: 'Ann.Lee@rcpt.example', cc: ['cid@rcpt.example'] })
  const again = await resend(id)
  t.match(again, { status: 202, body: { accepted: true, status: 'queued', resent_from: id, stream: 'transactional' } })
  t.not(again.body.id, id)
  t.strictSame(await stored(again.body.id), await stored(id))
  const [first, second] = [await read(id), await read(again.body.id)]
  t.match(second, { resent_from: id, to: first.to, subject: first.subject, tags: first.tags, metadata: first.metadata })
  t.equal(first.resent_from, null)
  t.strictSame(second.copies, [])
  t.not(second.message_id, first.message_id)
  const written = await db.oneFirst(sql.type(z.object({ to_written: z.string() }))`
    select to_written from email.messages where id = ${again.body.id}`)
  t.equal(written, 'Ann.Lee@rcpt.example')
})

t.test('a copy is resent to its own recipient, with the header of the original', async (t) => {
  const id = await delivered(shop, { cc: ['cid@rcpt.example'], bcc: ['dan@rcpt.example'] })
  const { copies } = await read(id)
  await outcomes(
    db,
    copies.map((copy: { id: string }) => ({ messageId: copy.id, status: 'bounced' as const })),
  )
  const again = await resend(copies[1].id)
  t.match(await read(again.body.id), {
    to: 'dan@rcpt.example',
    recipient: 'bcc',
    copy_of: null,
    resent_from: copies[1].id,
  })
  t.match(await stored(again.body.id), { recipients: { to: 'ann@rcpt.example', cc: ['cid@rcpt.example'] } })
})

t.test('the same idempotency key resends once', async (t) => {
  const [id, other] = [await delivered(shop), await delivered(shop)]
  const headers = { 'idempotency-key': newId() }
  const before = await countOf(shop.orgId)
  const [a, b] = await Promise.all([resend(id, { headers }), resend(id, { headers })])
  t.equal(a?.body.id, b?.body.id)
  t.equal(await countOf(shop.orgId), before + 1)
  t.match(await resend(other, { headers }), { status: 409, body: { error: { code: 'conflict' } } })
})

t.test('suppression, domain, consent and plan count as they are now', async (t) => {
  const one = await sender()
  const ask = (id: string) => one.ask(`POST /send/v1/messages/${id}/resend`)
  const id = await delivered(one)
  const suppressed = { email: 'ann@rcpt.example' }
  t.equal((await one.ask('POST /send/v1/suppressions', { body: suppressed })).status, 201)
  t.match(await ask(id), { status: 202, body: { status: 'suppressed', resent_from: id } })
  const fresh = await delivered(one, { to: 'eve@rcpt.example' })
  await db.query(sql.typeAlias('void')`delete from email.domains where org_id = ${one.orgId}`)
  t.match(await ask(fresh), { status: 403, body: { error: { code: 'domain_not_verified' } } })
  await verified(db, one.orgId, one.domain)

  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status) values (${newId()}, ${one.orgId}, 'c@rcpt.example', 'confirmed')`)
  const news = await delivered(one, { stream: 'subscribed', to: 'c@rcpt.example', text: 'x {{unsubscribe_url}}' })
  t.equal((await ask(news)).status, 202)
  await db.query(sql.typeAlias('void')`update email.contacts set status = 'unsubscribed' where org_id = ${one.orgId}`)
  t.match(await ask(news), { status: 403, body: { error: { code: 'contact_unsubscribed' } } })

  const small = await sender('free')
  const only = await delivered(small)
  await db.query(sql.typeAlias('void')`update email.usage set messages = 1000000 where org_id = ${small.orgId}`)
  const over = await small.ask(`POST /send/v1/messages/${only}/resend`)
  t.match(over, { status: 429, body: { error: { code: 'monthly_limit_reached' } } })
})

t.test('a message that waits, or that asks for consent, is not resent', async (t) => {
  const waiting = await shop.send()
  t.match(await resend(waiting.body.id), { status: 409, body: { error: { code: 'message_waiting' } } })
  const later = await shop.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
  t.match(await resend(later.body.id), { status: 409, body: { error: { code: 'message_waiting' } } })
  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status) values (${newId()}, ${shop.orgId}, 'r@rcpt.example', 'unconfirmed')`)
  const asked = await delivered(shop, { stream: 'repermission', to: 'r@rcpt.example', text: 'Yes: {{confirm_url}}' })
  t.match(await resend(asked), { status: 409, body: { error: { code: 'not_resendable' } } })
})

t.test('a test message stays one, also with a live key', async (t) => {
  const { body } = await shop.send({}, { key: shop.sandbox })
  for (const key of [shop.sandbox, shop.key]) {
    const again = await resend(body.id, { key })
    t.match(again, { status: 202, body: { status: 'sent' } })
    t.match(await read(again.body.id), { sandbox: true, resent_from: body.id })
  }
  t.match((await contentOf(body.id, { key: shop.sandbox })).body, { text: 'It is on its way.' })
})

t.test('bad calls name what is wrong', async (t) => {
  const id = await delivered(shop)
  const cases: [request: string, options: object, status: number, text: RegExp][] = [
    ...['x', '1', '%00', `${newId()}x`, '..', '%2e%2e', newId().toUpperCase(), newId().replaceAll('-', '')].flatMap(
      (bad): [string, object, number, RegExp][] => [
        [`GET /send/v1/messages/${bad}/content`, {}, 404, /No|not/],
        [`POST /send/v1/messages/${bad}/resend`, {}, 404, /No|not/],
      ],
    ),
    [`GET /send/v1/messages/${id}/content?x=1`, {}, 400, /query.x/],
    [`POST /send/v1/messages/${id}/resend?x=1`, {}, 400, /query.x/],
    [`POST /send/v1/messages/${id}/resend`, { headers: { 'idempotency-key': '' } }, 400, /idempotency-key/],
    [
      `POST /send/v1/messages/${id}/resend`,
      { headers: { 'idempotency-key': 'x'.repeat(256) } },
      400,
      /idempotency-key/,
    ],
    [`POST /send/v1/messages/${id}/resend`, { key: undefined }, 401, /key/],
    [`GET /send/v1/messages/${id}/content`, { key: 'snd_live_nothing' }, 401, /key/],
    [`DELETE /send/v1/messages/${id}/content`, {}, 405, /./],
    [`PUT /send/v1/messages/${id}/resend`, {}, 405, /./],
    [`GET /send/v1/messages/${id}/resend`, {}, 405, /./],
  ]
  for (const [request, options, status, text] of cases) {
    const reply = await ingress.ask(request, { key: shop.key, ...options })
    t.equal(reply.status, status, `${request} ${reply.text}`)
    t.match(reply.text, text, request)
  }
})

t.test('after the retention, both calls return 410 and the message stays', async (t) => {
  const id = await delivered(shop)
  await expireContents()
  await pruneArea(db, 'email')
  for (const reply of [await contentOf(id), await resend(id)])
    t.match(reply, { status: 410, body: { error: { code: 'content_deleted', details: { kept_until: /Z$/ } } } })
  t.equal((await read(id)).status, 'delivered')
})
