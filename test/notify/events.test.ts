import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { addContacts } from '../email/sending.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { event, mailsOf, notifying, notifyWorker, person } from './people.ts'

const { db, databaseUrl, ingress, teller } = await notifying(t)
const one = await teller({ domain: 'shop.example' })
const other = await teller()
const count = (orgId: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from notify.events where org_id = ${orgId}`)

/** Whether no job waits or runs. */
const drained = async () =>
  (await db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from jobs_core._private_jobs`)) === 0

/** An event once no copy of it waits. */
const settled = (id: string, who = one) =>
  until(async () => {
    const { body } = await who.ask(`GET /v1/notify/events/${id}`)
    return body.copies.some(({ status }: { status: string }) => status === 'waiting') ? false : body
  })

t.test('health needs no key and says no more than whether the database answers', async (t) => {
  const { status, body } = await ingress.ask('GET /v1/notify/health')
  t.same([status, body], [200, { status: 'ok', database: 'ok' }])
})

t.test('an event comes into the inbox and nowhere else, unless somebody has chosen other channels', async (t) => {
  const user = person()
  const facts = { body: 'Tomorrow.\nAt noon.', data: { order: '1042' }, url: 'https://shop.example/orders/1042' }
  const { status, body } = await one.tell(user, facts)
  t.equal(status, 200)
  t.match(body, { ...event(user), ...facts, dedupe_key: null, chosen_by: 'default', deduplicated: false })
  t.same(body.channels, [
    { channel: 'in_app', used: true, reason: null, digest: false },
    { channel: 'email', used: false, reason: 'not_chosen', digest: false },
    { channel: 'push', used: false, reason: 'not_chosen', digest: false },
  ])
  const { data, next_cursor } = (await one.ask(`GET /v1/notify/inbox?user_id=${user}`)).body
  t.equal(next_cursor, null)
  t.same(data, [
    {
      id: body.id,
      user_id: user,
      product_key: 'shop',
      type: 'order.shipped',
      title: event(user).title,
      ...facts,
      read_at: null,
      seen_at: null,
      archived_at: null,
      created_at: body.created_at,
    },
  ])
  const { deduplicated, ...same } = body
  t.same((await one.ask(`GET /v1/notify/events/${body.id}`)).body, { ...same, copies: [] })
})

t.test('the same dedupe key fifty times at once is one event, and each answer is the first one’s', async (t) => {
  const [own, user] = [await teller({ domain: 'own1.example' }), person()]
  const facts = { dedupe_key: 'order-1042', channels: ['in_app', 'email'], email: 'ann@rcpt.example' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => own.tell(user, { ...facts, title: `Try ${n}` })),
  )
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  t.equal(new Set(answers.map(({ body }) => body.title)).size, 1)
  t.equal(answers.filter(({ body }) => body.deduplicated === false).length, 1)
  t.equal((await own.inbox(user)).length, 1)
  t.equal(await own.unread(user), 1)
  await notifyWorker(t, databaseUrl)
  await settled(answers[0]?.body.id, own)
  await until(() => drained())
  t.equal((await mailsOf(db, own.orgId)).length, 1)
})

t.test('a dedupe key counts for one organisation, product and user', async (t) => {
  const [user, another] = [person(), person()]
  const key = { dedupe_key: 'same' }
  const ids = [
    await one.tell(user, key),
    await one.tell(user, { ...key, product_key: 'crm' }),
    await one.tell(another, key),
    await other.tell(user, key),
  ].map(({ body }) => body.id)
  t.equal(new Set(ids).size, 4)
  t.match((await one.tell(user.toUpperCase(), { ...key, type: 'other' })).body, { id: ids[0], deduplicated: true })
  t.equal((await one.inbox(user)).length, 2)
})

t.test('500 events of 20 people at once, over two connections in different orders, deadlock nowhere', async (t) => {
  const own = await teller()
  const people = Array.from({ length: 20 }, person)
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      own.tell(people[(n * 7) % 20] as string, n % 3 ? {} : { dedupe_key: `k${n % 60}` }),
    ),
  )
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(await count(own.orgId), new Set(answers.map(({ body }) => body.id)).size)
  const Numbers = z.object({ last_number: z.number(), numbers: z.array(z.number()) })
  const rows = await db.any(sql.type(Numbers)`
    select u.last_number::integer, array_agg(i.number::integer order by i.number) as numbers
    from notify.users as u join notify.inbox as i using (org_id, user_id) where org_id = ${own.orgId}
    group by u.user_id, u.last_number`)
  t.equal(rows.length, 20)
  for (const { last_number, numbers } of rows) {
    t.same(
      numbers,
      Array.from({ length: last_number }, (_, i) => i + 1),
      'numbers without a gap',
    )
  }
})

t.test('an email copy goes through the email area, once however often its job runs', async (t) => {
  await notifyWorker(t, databaseUrl)
  const user = person()
  await one.prefer(user, ['in_app', 'email'])
  const { body } = await one.tell(user, { email: 'Ann@Rcpt.example', body: 'Tomorrow.', url: 'https://shop.example/1' })
  t.match(body, { chosen_by: 'type', channels: [{ used: true }, { channel: 'email', used: true, reason: null }] })
  const { copies } = await settled(body.id)
  t.match(copies, [{ channel: 'email', status: 'accepted', reason: null, message_id: /-/, ended_at: /Z$/ }])
  t.same(await mailsOf(db, one.orgId), [
    {
      id: copies[0].message_id,
      stream: 'transactional',
      from: 'notifications@shop.example',
      to: 'ann@rcpt.example',
      subject: event(user).title,
      text: 'Tomorrow.\n\nhttps://shop.example/1\n',
    },
  ])
  const jobs = Array.from({ length: 3 }, () => enqueue(db, sendCopies, { eventIds: [body.id] }))
  await Promise.all(jobs)
  const last = await one.tell(user, { email: { to: 'bob@rcpt.example', from: 'orders@shop.example' } })
  await settled(last.body.id)
  await until(() => drained())
  t.match(await mailsOf(db, one.orgId), [{}, { from: 'orders@shop.example', to: 'bob@rcpt.example' }])
  t.equal((await mailsOf(db, one.orgId)).length, 2)
})

t.test('why no mail goes out is on record', async (t) => {
  await notifyWorker(t, databaseUrl)
  const own = await teller({ domain: 'own.example' })
  await addContacts(db, own.orgId, 'unsubscribed', 1)
  const outcome = async (email: unknown, who = own) => {
    const { body } = await who.tell(person(), { channels: ['email'], email })
    const { copies } = await settled(body.id, who)
    return [copies[0].status, copies[0].reason]
  }
  t.same(await outcome('ann@rcpt.example', other), ['refused', 'domain_not_verified'])
  t.same(await outcome({ to: 'ann@rcpt.example', from: 'a@shop.example' }), ['refused', 'domain_not_verified'])
  t.same(await outcome({ contact: 'c1@rcpt.example' }), ['refused', 'contact_unsubscribed'])
  t.same(await outcome({ contact: 'nobody@rcpt.example' }), ['refused', 'no_contact'])
  await addContacts(db, own.orgId, 'confirmed', 1, 1)
  t.same(await outcome({ contact: 'c2@rcpt.example' }), ['accepted', null])
  const { body } = await own.tell(person(), { channels: ['in_app', 'email', 'push'] })
  t.match(body, {
    chosen_by: 'event',
    channels: [{ used: true }, { used: false, reason: 'no_address' }, { used: false }],
  })
})

t.test(
  'a copy waits while the email area fails, is given up in the end, and goes out when it is tried again',
  async (t) => {
    await notifyWorker(t, databaseUrl)
    const own = await teller({ domain: 'failing.example' })
    await db.query(sql.unsafe`
    create function fail_mail() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`)
    await db.query(sql.unsafe`
    create trigger fail before insert on email.messages for each row when (new.from_email like '%@failing.example')
    execute function fail_mail()`)
    const { id } = (await own.tell(person(), { channels: ['email'], email: 'ann@rcpt.example' })).body
    const copy = async () => (await own.ask(`GET /v1/notify/events/${id}`)).body.copies[0]
    const jobs = sql.typeAlias(
      'count',
    )`select count(*) from jobs_core._private_jobs where attempts = 1 and locked_at is null`
    await until(async () => (await db.oneFirst(jobs)) === 1, { what: 'the first attempt has failed' })
    t.match(await copy(), { status: 'waiting', reason: null, message_id: null })
    await db.query(sql.unsafe`update jobs_core._private_jobs set attempts = max_attempts - 1, run_at = now()`)
    await until(async () => (await copy()).status === 'failed')
    t.match(await copy(), { reason: 'given_up', message_id: null, ended_at: /Z$/ })
    await db.query(sql.unsafe`drop trigger fail on email.messages`)
    await sendCopies.revive?.({ eventIds: [id] }, { db, enqueue: async () => {} })
    await enqueue(db, sendCopies, { eventIds: [id] })
    await until(async () => (await copy()).status === 'accepted')
    t.equal((await mailsOf(db, own.orgId)).length, 1)
  },
)

t.test('a key that is locked to From domains sends copies from none of the others', async (t) => {
  await notifyWorker(t, databaseUrl)
  const own = await teller({ domain: 'first.example' })
  await db.query(sql.typeAlias('void')`
    update account.keys set locks = '{"from_domains": ["second.example"]}' where org_id = ${own.orgId}`)
  const tellOf = async (email: unknown) => {
    const { body } = await own.tell(person(), { channels: ['email'], email })
    return (await settled(body.id, own)).copies[0].reason
  }
  t.equal(await tellOf('ann@rcpt.example'), 'domain_not_verified')
  t.equal(await tellOf({ to: 'ann@rcpt.example', from: 'a@first.example' }), 'domain_not_allowed')
})

t.test('a 400 names every field', async (t) => {
  const bad = {
    product_key: '',
    type: '*',
    subject_user_id: ' ann',
    title: 'two\nlines',
    body: '\u0007',
    data: { a: 1 },
    url: 'javascript:alert(1)',
    dedupe_key: '',
    channels: ['fax'],
    email: 'nobody',
    extra: 1,
  }
  const reply = await one.ask('POST /v1/notify/events', { body: bad })
  t.equal(reply.status, 400)
  t.same(fieldsOf(reply), [
    ...['body.body', 'body.channels.0', 'body.data.a', 'body.dedupe_key', 'body.email', 'body.extra'],
    ...['body.product_key', 'body.subject_user_id', 'body.title', 'body.type', 'body.url'],
  ])
  const empty = await one.ask('POST /v1/notify/events', { body: {} })
  t.same(fieldsOf(empty), ['body.product_key', 'body.subject_user_id', 'body.title', 'body.type'])
  for (const email of [{}, { to: 'a@b.example', contact: 'a@b.example' }, { to: 'x' }, 7, null]) {
    t.equal((await one.tell(person(), { email })).status, 400, JSON.stringify(email))
  }
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, '']))
  t.same(fieldsOf(await one.tell(person(), { data: many })), ['body.data'])
  for (const raw of ['', '[]', '"x"', '{"a":', 'null']) {
    const headers = { 'content-type': 'application/json' }
    t.equal((await one.ask('POST /v1/notify/events', { raw, headers })).status, 400, raw)
  }
})

t.test('without a key, without the scope, and for what is another’s, nothing is told', async (t) => {
  const user = person()
  const { body } = await one.tell(user)
  t.equal((await ingress.ask('POST /v1/notify/events', { body: event(user) })).status, 401)
  const reader = await teller({ scopes: ['notify:read'] })
  t.equal((await reader.tell(user)).status, 403)
  const writer = await teller({ scopes: ['notify:write'] })
  t.equal((await writer.ask(`GET /v1/notify/inbox?user_id=${user}`)).status, 403)
  for (const id of [body.id, newId(), 'x']) {
    const { status, body } = await other.ask(`GET /v1/notify/events/${id}`)
    t.match([status, body.error], [404, { code: 'not_found', message: 'No such event.' }], id)
  }
})
