import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as asking from '#sql/email/contacts/asking.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as domains from '#sql/email/domains.ts'
import * as events from '#sql/webhooks/events.ts'
import { reconfirm } from '#tasks/email/reconfirm.ts'
import { createKeys } from '#tasks/email/rules/domains/make-keys.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { fieldsOf, type Reply, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['email'] })
const { db } = stack
const scopes = ['email:manage', 'email:send']
const keysOf = { main: { prefix: 'snd_live_' as const, scopes }, test: { prefix: 'snd_test_' as const, scopes } }
const locked = { prefix: 'snd_live_' as const, scopes, locks: { from_domains: ['other.example'] } }
const [{ org, keys }, two] = await Promise.all([
  testOrg(db, [], { keys: { ...keysOf, locked } }),
  testOrg(db, [], { keys: keysOf }),
])

const ask = (request: string, body?: unknown, key = keys.main) =>
  stack.ingress.ask(request, { key, ...(body !== undefined && { body }) })
const importCsv = (raw: string | Uint8Array, type = 'text/csv') =>
  stack.ingress.ask('POST /send/v1/contacts/import', { key: keys.main, raw, headers: { 'content-type': type } })
const historyOf = async (email: string) =>
  (await ask(`GET /send/v1/contacts/${email}`)).body.history.map(
    ({ kind, source }: Reply['body']) => `${kind} ${source}`,
  )

/** A verified domain of an organisation, with keys. */
async function verified(orgId: string, domain: string): Promise<void> {
  const id = newId()
  const keys = (await createKeys(orgId, id, signingSecret)).map((key) => ({ ...key, published: true }))
  await domains.insert(db, { id, org_id: orgId, domain, return_path: `bounce.${domain}` }, keys, 10)
  await db.query(sql.typeAlias('void')`
    update email.domains set status = 'verified', verified_by = 'operator', verified_at = now() where id = ${id}`)
}

t.test('a contact who agreed is confirmed, with where it agreed; an unsubscribed one does not come back', async (t) => {
  const added = await ask('POST /send/v1/contacts', { email: 'Ann@Bücher.example', consent_source: 'sign-up form' })
  t.equal(added.status, 201)
  t.match(added.body, {
    email: 'ann@xn--bcher-kva.example',
    status: 'confirmed',
    consent_source: 'sign-up form',
    confirmed_at: String,
  })
  const again = await ask('POST /send/v1/contacts', { email: 'ann@bücher.example', consent_source: 'api' })
  t.match(again.body, { id: added.body.id, consent_source: 'sign-up form' })
  const left = await ask('POST /send/v1/contacts/ann%40xn--bcher-kva.example/unsubscribe')
  t.match(left, { status: 200, body: { status: 'unsubscribed', unsubscribed_at: String } })
  const repeated = await ask('POST /send/v1/contacts/ANN@bücher.example/unsubscribe')
  t.equal(repeated.body.unsubscribed_at, left.body.unsubscribed_at)
  for (const request of ['POST /send/v1/contacts', 'DELETE /send/v1/contacts/ann@bücher.example']) {
    const refused = await ask(request, request.startsWith('POST') ? { email: 'ann@bücher.example' } : undefined)
    t.match(refused, { status: 409, body: { error: { code: 'contact_unsubscribed' } } })
  }
  t.same(await historyOf('ann@bücher.example'), ['added api', 'unsubscribed api'])
})

t.test('webhooks are told of who unsubscribes, once', async (t) => {
  const endpoint = { url: 'https://hooks.example/email', events: ['email.contact.unsubscribed'] }
  t.equal((await ask('POST /send/v1/webhooks', endpoint)).status, 201)
  for (const _ of [1, 2]) await ask('POST /send/v1/contacts/told@list.example/unsubscribe')
  const told = await db.any(sql.type(events.table.Row)`select ${events.table.columns()} from webhooks.events`)
  t.match(told, [{ org_id: org.id, data: { email: 'told@list.example', source: 'api' } }])
  t.equal(told.length, 1)
})

t.test('an address that is no contact can be unsubscribed beforehand', async (t) => {
  t.match((await ask('POST /send/v1/contacts/never@seen.example/unsubscribe')).body, { status: 'unsubscribed' })
  t.equal((await ask('POST /send/v1/contacts', { email: 'never@seen.example' })).status, 409)
})

t.test('JSON and CSV are imported; bad lines are named and keep no other out', async (t) => {
  const list = [
    'one@list.example',
    'bad',
    'ONE@list.example',
    'never@seen.example',
    'a b@list.example',
    'two@list.example',
  ]
  const reply = await ask('POST /send/v1/contacts/import', { contacts: list.map((email) => ({ email })) })
  t.match(reply, { status: 200, body: { imported: 2, existing: 2, invalid: 2 } })
  t.same(
    reply.body.errors.map(({ line }: { line: number }) => line),
    [2, 5],
  )
  t.match(reply.body.errors[0].issue, /must be an email address/)
  t.match((await ask('GET /send/v1/contacts/one@list.example')).body, { status: 'unconfirmed', consent_source: null })
  t.same(await historyOf('one@list.example'), ['imported import'])
  t.match((await ask('GET /send/v1/contacts/never@seen.example')).body, { status: 'unsubscribed' })

  const file =
    '\ufeffName,"E-Mail","Email "\r\n"Last, First",x,three@list.example\r\n\r\n,,nobody\r\nx,y,"four@list.example"\r\n'
  t.match((await importCsv(file)).body, { imported: 2, invalid: 1, errors: [{ line: 4 }] })
  t.match((await importCsv('email;name\nfive@list.example;x\n', 'text/csv; charset=UTF-8')).body, { imported: 1 })
  t.match((await importCsv('email\nsix@list.example', 'Text/CSV')).body, { imported: 1, existing: 0 })
})

t.test('ten thousand contacts are imported in one request, and not one more', async (t) => {
  const emails = Array.from({ length: 10_000 }, (_, i) => `person.${i}@many.example`)
  emails[17] = 'no address'
  const reply = await ask(
    'POST /send/v1/contacts/import',
    { contacts: emails.map((email) => ({ email })) },
    two.keys.main,
  )
  t.match(reply.body, { imported: 9_999, invalid: 1, errors: [{ line: 18 }] })
  const more = await ask('POST /send/v1/contacts/import', {
    contacts: [...emails, 'x@y.example'].map((email) => ({ email })),
  })
  t.match(more, { status: 400 })
  t.same(fieldsOf(more), ['body.contacts'])
})

t.test('lists are filtered by state, newest first, and hold nothing of another organisation', async (t) => {
  const { body } = await ask('GET /send/v1/contacts?status=unconfirmed&limit=2')
  t.same(
    body.data.map(({ email }: Reply['body']) => email),
    ['six@list.example', 'five@list.example'],
  )
  const { body: next } = await ask(`GET /send/v1/contacts?status=unconfirmed&limit=2&cursor=${body.next_cursor}`)
  t.equal(next.data.length, 2)
  t.equal((await ask('GET /send/v1/contacts?status=unsubscribed')).body.data.length, 3)
  const theirs = (request: string) => ask(request, undefined, two.keys.main)
  t.equal((await theirs('GET /send/v1/contacts/one@list.example')).status, 404)
  t.equal((await theirs('DELETE /send/v1/contacts/one@list.example')).status, 404)
  t.equal((await ask('DELETE /send/v1/contacts/six@list.example')).status, 200)
  t.equal((await ask('GET /send/v1/contacts/six@list.example')).status, 404)
})

t.test('what is no contact is refused, and every fault named', async (t) => {
  for (const email of [
    '',
    'x',
    'a@b',
    '"a b"@c.example',
    'a@c.example\r\nBcc: d@e.example',
    'a@c.example, d@e.example',
    'ä@c.example',
    `${'a'.repeat(65)}@c.example`,
    'a..b@c.example',
    '@c.example',
    null,
    1,
    ['a@b.example'],
  ]) {
    const reply = await ask('POST /send/v1/contacts', { email, consent_source: '' })
    t.equal(reply.status, 400, JSON.stringify(email))
    t.same(fieldsOf(reply), ['body.consent_source', 'body.email'])
  }
  for (const contacts of [
    [],
    'a@b.example',
    [{}],
    [{ email: 5 }],
    [{ email: 'a@b.example', status: 'confirmed' }],
    [null],
  ])
    t.equal((await ask('POST /send/v1/contacts/import', { contacts })).status, 400)
  for (const raw of ['name\nx', 'email', 'email\n"a@b.example', '\u0000', new Uint8Array([0xff, 0xfe])])
    t.equal((await importCsv(raw)).status, 400, JSON.stringify(raw))
  t.match(await importCsv('email\na@b.example', 'text/plain'), {
    status: 415,
    body: { error: { message: /text\/csv/ } },
  })
  t.equal((await importCsv('email\na@b.example', 'text/csv; charset=latin1')).status, 415)
  t.equal((await importCsv(`email\n${'x'.repeat(4 * 1024 * 1024)}`)).status, 413)
  t.equal((await ask('GET /send/v1/contacts/nobody')).status, 400)
  t.equal((await ask('GET /send/v1/contacts?status=asleep')).status, 400)
})

t.test('a round of reconfirmation asks each unconfirmed contact once, and nobody else', async (t) => {
  t.match(await ask('POST /send/v1/contacts/reconfirm', {}), {
    status: 403,
    body: { error: { code: 'domain_not_verified' } },
  })
  await verified(org.id, 'sender.example')
  const cases: [object, number, string?][] = [
    [{ from_email: 'a@nobody.example' }, 403],
    [{ from_email: 'no address' }, 400, 'body.from_email'],
    [{ html: '<p>Hello</p>' }, 400, 'body.html'],
    [{ html: '<a href="{{confirm_url}}">{{name}}</a>' }, 400, 'body.html'],
    [{ subject: 'a\r\nBcc: x@y.example' }, 400, 'body.subject'],
    [{ from_name: 'a\nb' }, 400, 'body.from_name'],
    [{ more: 1 }, 400, 'body.more'],
  ]
  for (const [body, status, field] of cases) {
    const reply = await ask('POST /send/v1/contacts/reconfirm', body)
    t.equal(reply.status, status, JSON.stringify(body))
    if (field) t.same(fieldsOf(reply), [field])
  }
  const lockedOut = await ask('POST /send/v1/contacts/reconfirm', { from_email: 'a@sender.example' }, keys.locked)
  t.match(lockedOut, { status: 403, body: { error: { code: 'domain_not_allowed' } } })

  await suppressions.insertMany(db, [
    { org_id: org.id, email: 'two@list.example', reason: 'bounce', message_id: null, detail: null },
  ])
  await ask('POST /send/v1/contacts/import', { contacts: [{ email: 'tried@list.example' }] }, keys.test)
  const sandboxed = await ask('POST /send/v1/contacts/reconfirm', undefined, keys.test)
  t.match(sandboxed.body, { id: null, contacts: 1, sandbox: true, from_email: 'hello@sender.example' })
  // No name server answers, so that what is queued stays so.
  await stack.startWorkers({ PUBLIC_URL: 'https://send.example', DNS_RESOLVERS: '127.0.0.1:1' }, 'mail-campaign')
  const body = { from_name: 'Sender', html: '<p><a href="{{ confirm_url }}">Yes</a></p>' }
  const begun = await ask('POST /send/v1/contacts/reconfirm', body)
  t.match(begun, { status: 202, body: { id: String, contacts: 5, sandbox: false } })
  await ended(begun.body.id)
  const sent = await db.any(sql.type(Sent)`
    select m.to_email, m.stream, m.from_email, m.from_name, m.message_id, c.html, d.pool
    from email.messages as m join email.contents as c on c.id = m.content_id join email.deliveries as d on d.message_id = m.id
    order by m.to_email`)
  t.same(
    sent.map(({ to_email }) => to_email),
    ['five', 'four', 'one', 'three'].map((name) => `${name}@list.example`),
  )
  t.match(sent[0], {
    stream: 'repermission',
    from_email: 'hello@sender.example',
    from_name: 'Sender',
    pool: 'campaign',
  })
  t.match(sent[0]?.html, /<a href="https:\/\/send\.example\/send\/v1\/confirm\/[\w.-]+">/)
  t.same(await historyOf('one@list.example'), ['imported import', 'asked api'])

  t.match((await ask('POST /send/v1/contacts/reconfirm', {})).body, { contacts: 1 })
  await db.query(sql.typeAlias('void')`
    update email.contacts set asked_at = now() - interval '31 days' where email = 'one@list.example'`)
  const [first, second] = await Promise.all([1, 2].map(() => ask('POST /send/v1/contacts/reconfirm', {})))
  await Promise.all([ended(first?.body.id), ended(second?.body.id)])
  const count = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from email.messages where to_email = 'one@list.example'`)
  t.equal(count, 2)
})

const Sent = z.object({
  to_email: z.string(),
  stream: z.string(),
  from_email: z.string(),
  from_name: z.string().nullable(),
  message_id: z.string(),
  html: z.string(),
  pool: z.string(),
})

const ended = (id: string) =>
  until(async () => {
    const at = await db.oneFirst(sql.type(z.object({ ended_at: z.date().nullable() }))`
      select ended_at from email.reconfirmations where id = ${id}`)
    return at !== null
  })

t.test('a round goes on behind the page that was done last, and ends while marketing is paused', async (t) => {
  await verified(two.org.id, 'second.example')
  await db.query(sql.typeAlias('void')`
    delete from email.contacts where org_id = ${two.org.id} and email not like 'person.9%'`)
  const begun = await ask('POST /send/v1/contacts/reconfirm', {}, two.keys.main)
  await enqueue(db, reconfirm, { reconfirmationId: begun.body.id })
  await ended(begun.body.id)
  const asked = await db.oneFirst(sql.type(z.object({ asked: z.number() }))`
    select asked from email.reconfirmations where id = ${begun.body.id}`)
  t.equal(asked, 1_111)
  t.equal(await asking.countUnasked(db, two.org.id), 0)
  await db.query(sql.typeAlias('void')`
    insert into email.reputation (org_id, marketing, reason) values (${two.org.id}, 'paused', 'a test')`)
  const refused = await ask('POST /send/v1/contacts/reconfirm', {}, two.keys.main)
  t.match(refused, { status: 403, body: { error: { code: 'marketing_paused' } } })
})
