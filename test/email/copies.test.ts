import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { find } from '#sql/email/messages.ts'
import { releaseScheduled } from '#tasks/email/rules/release-scheduled.ts'
import { emittedTo } from '../support/emitted.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { until } from '../support/until.ts'
import { outcomes, sending } from './sending.ts'

const { db, databaseUrl, sender } = await sending(t)
const stack = await mailStack(t, 'other.example', { url: databaseUrl, db })
const sink = await startSink(t, '127.0.0.1', 0, {
  onRcpt: (to) => (to.startsWith('gone') ? '550 5.1.1 No such user' : undefined),
})
const Nothing = sql.typeAlias('void')

/** An organisation with a domain that its mail is signed for. */
async function shop() {
  const own = await sender()
  await addDomain(db, own.orgId, `shop.${own.domain}`)
  return { ...own, from: { email: `orders@shop.${own.domain}` } }
}

const header = (raw: Buffer, name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(raw.toString())?.[1]

t.test('each copy is delivered by itself, under one Message-ID; nobody learns of a blind one', async (t) => {
  await stack.startWorkers({ MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}` }, 'mail-transactional')
  const own = await shop()
  await db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${own.orgId}, 'held@rcpt.example', 'manual')`)
  const sent = await own.send({
    from: own.from,
    to: 'ann@rcpt.example',
    cc: ['Bob@RCPT.example', 'gone@rcpt.example'],
    bcc: ['eve@rcpt.example', 'held@rcpt.example'],
    tags: [{ name: 'kind', value: 'order' }],
    metadata: { order: 1042, lines: [{ sku: 'a' }] },
  })
  t.equal(sent.status, 202)
  t.match(sent.body, {
    status: 'queued',
    copies: [
      { recipient: 'cc', to: 'bob@rcpt.example', status: 'queued' },
      { recipient: 'cc', to: 'gone@rcpt.example', status: 'queued' },
      { recipient: 'bcc', to: 'eve@rcpt.example', status: 'queued' },
      { recipient: 'bcc', to: 'held@rcpt.example', status: 'suppressed' },
    ],
  })
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 4, 'each counts as one, the suppressed one as none')
  for (const name of ['ann', 'Bob', 'eve']) {
    const { raw } = await sink.mailTo(`${name}@rcpt.example`)
    t.equal(header(raw, 'To'), 'ann@rcpt.example', name)
    t.equal(header(raw, 'Cc'), 'Bob@rcpt.example, gone@rcpt.example', name)
    t.equal(header(raw, 'Message-ID'), `<${sent.body.message_id}>`, name)
    t.notMatch(raw.toString(), /bcc:|held@/i, name)
    if (name !== 'eve') t.notMatch(raw.toString(), 'eve@', name)
  }
  const read = async () => (await own.ask(`GET /send/v1/messages/${sent.body.id}`)).body
  const done = await until(
    async () => {
      const now = await read()
      return now.copies[1].status === 'bounced' && now.copies[2].status === 'sent' && now.status === 'sent' && now
    },
    { what: 'all are told of' },
  )
  t.match(done, { recipient: 'to', copy_of: null, tags: [{ name: 'kind', value: 'order' }], metadata: { order: 1042 } })
  t.match(
    done.copies.map(({ status }: { status: string }) => status),
    ['sent', 'bounced', 'sent', 'suppressed'],
  )
  t.match((await own.ask('GET /send/v1/suppressions')).body.data, [
    { email: 'held@rcpt.example' },
    { email: 'gone@rcpt.example', reason: 'bounce', message_id: sent.body.copies[1].id },
  ])
  const copy = (await own.ask(`GET /send/v1/messages/${sent.body.copies[1].id}`)).body
  t.match(copy, { recipient: 'cc', copy_of: sent.body.id, to: 'gone@rcpt.example', status: 'bounced', copies: [] })
})

t.test('what a recipient is sent at its time is judged then, each recipient for itself', async (t) => {
  const own = await shop()
  const send_at = new Date(Date.now() + 60_000).toISOString()
  const { body } = await own.send({ from: own.from, to: 'late@rcpt.example', cc: ['dan@rcpt.example'], send_at })
  t.equal(body.status, 'scheduled')
  await db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${own.orgId}, 'late@rcpt.example', 'manual')`)
  await db.query(Nothing`update email.messages set send_at = now() where org_id = ${own.orgId}`)
  await db.transaction((tx) => releaseScheduled(tx, own.orgId, 10))
  await sink.mailTo('dan@rcpt.example')
  await until(async () => (await find(db, own.orgId, body.id))?.status === 'suppressed', { what: 'it is suppressed' })
  t.notOk(sink.mails.some(({ to }) => to === 'late@rcpt.example'))
  t.equal((await own.ask('GET /send/v1/usage')).body.messages, 1, 'what never left is given back')
})

t.test('events of a message, and of each copy, repeat its tags and metadata', async (t) => {
  const own = await sender()
  const [tags, metadata] = [[{ name: 'kind', value: 'order' }], { order: 1042, deep: { a: [1, null] } }]
  const { body } = await own.send({ cc: ['bob@rcpt.example'], tags, metadata })
  await outcomes(
    db,
    [body.id, body.copies[0].id].map((messageId) => ({ messageId, status: 'delivered' })),
  )
  const told = emittedTo(own.orgId).map(({ type, data }) => ({ type, data }))
  t.same(
    told.map(({ type }) => type),
    ['email.accepted', 'email.accepted', ...Array(2).fill(['email.sent', 'email.delivered']).flat()],
  )
  for (const { data } of told) t.match(data, { tags, metadata, send_at: null })
  t.match(
    told.slice(0, 2).map(({ data }) => data),
    [
      { id: body.id, recipient: 'to', copy_of: null },
      { id: body.copies[0].id, recipient: 'cc', copy_of: body.id, message_id: body.message_id },
    ],
  )
})

t.test('the plan’s month has room for a message with all its copies, or it is refused', async (t) => {
  const own = await sender('free')
  await db.query(Nothing`
    insert into email.usage (org_id, month, messages)
    values (${own.orgId}, date_trunc('month', now() at time zone 'utc')::date, 2998)`)
  t.equal((await own.send({ cc: ['b@rcpt.example'], bcc: ['c@rcpt.example'] })).status, 429)
  const used = async () => (await own.ask('GET /send/v1/usage')).body.messages
  t.equal(await used(), 2998, 'nothing of it is counted')
  t.equal((await own.send({ cc: ['b@rcpt.example'] })).status, 202)
  t.equal(await used(), 3000)
  t.equal((await own.send()).status, 429)
})

t.test('a sandbox records each copy, and has room for all of them or none', async (t) => {
  const own = await sender()
  const { body } = await own.send({ cc: ['bob@rcpt.example'] }, { key: own.sandbox })
  t.match(body, { status: 'sent', copies: [{ to: 'bob@rcpt.example', status: 'sent' }] })
  await db.query(Nothing`
    with made as (
      insert into email.messages (id, org_id, sandbox, stream, domain_id, from_email, to_email, subject, content_id, message_id)
      select gen_random_uuid(), ${own.orgId}, true, 'transactional', gen_random_uuid(), 'a@a.example', 'b@b.example', 's',
        gen_random_uuid(), n::text from generate_series(1, 9997) as n returning id)
    insert into email.sandbox_messages (message_id, org_id, bytes) select id, ${own.orgId}, 1 from made`)
  t.equal((await own.send({ cc: ['bob@rcpt.example'] }, { key: own.sandbox })).status, 409)
  t.equal((await own.send({}, { key: own.sandbox })).status, 202)
})

t.test('what a message with copies says is forgotten when none of them waits, and once', async (t) => {
  const own = await sender()
  const { body } = await own.send({ cc: ['bob@rcpt.example', 'cat@rcpt.example'] })
  const [one, two] = [await find(db, own.orgId, body.id), await find(db, own.orgId, body.copies[1].id)]
  t.equal(one?.content_id, two?.content_id)
  const Kept = z.object({ recipients: z.unknown() })
  t.same(await db.any(sql.type(Kept)`select recipients from email.contents where org_id = ${own.orgId}`), [
    { recipients: { to: 'ann@rcpt.example', cc: ['bob@rcpt.example', 'cat@rcpt.example'] } },
  ])
})
