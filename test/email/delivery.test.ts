import { simpleParser } from 'mailparser'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { type Mail, startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const [ours, oursToo] = ['127.0.0.130', '127.0.0.131']

/** Recipients' hosts: `<name>.rcpt.example` has its MX at that address of loopback. */
const hosts = { one: 20, no: 21, busy: 22, grey: 23, full: 24, drop: 25, broken: 26, slow: 27, quick: 28 }
const at = (name: keyof typeof hosts) => `127.0.0.${hosts[name]}`

const port = await freePort()
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, {
    'rcpt.example': `
${Object.entries(hosts)
  .map(([name, last]) => `${name} IN MX 10 mx.${name}\nmx.${name} IN A 127.0.0.${last}`)
  .join('\n')}
null IN MX 0 .
nowhere IN TXT "x"
inside IN MX 1 mx.inside
mx.inside IN A 127.0.1.1
two IN MX 5 mx1.two
two IN MX 10 mx.quick
mx1.two IN A 127.0.0.29
@ IN A 127.0.0.40`,
  }),
])
await stack.startWorkers({
  DNS_RESOLVERS: nsd.dns,
  MAIL_MX_PORT: String(port),
  MAIL_MX_ALLOWED: '127.0.0.0/24',
  MAIL_TRANSACTIONAL_ADDRESSES: `${ours}=mta1.platform.example`,
  MAIL_CAMPAIGN_ADDRESSES: `${oursToo}=mta2.platform.example`,
})

/** Deliveries and leases that there are. */
const leftOver = () =>
  stack.db.oneFirst(sql.type(z.object({ n: z.number() }))`
    select (select count(*) from email.deliveries) + (select count(*) from email.connections) as n`)

const lastReply = async (id: string) => (await stack.attempts(id)).at(-1)?.replies.at(-1)
const fieldOf = (mail: Mail, name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(mail.raw.toString())?.[1]

t.test('each pool leaves from its own address, with its own name, and the attempt is on record', async (t) => {
  const sink = await startSink(t, at('one'), port)
  const kinds = ['transactional', 'security', 'subscribed', 'repermission'] as const
  const ids = await stack.send(...kinds.map((stream) => ({ to: `${stream}@one.rcpt.example`, stream })))
  for (const [i, stream] of kinds.entries()) {
    const mail = await sink.mailTo(`${stream}@one.rcpt.example`)
    const [address, name] = i < 2 ? [ours, 'mta1.platform.example'] : [oursToo, 'mta2.platform.example']
    t.match(mail, { remoteAddress: address, helo: name, secure: true }, stream)
    t.equal(fieldOf(mail, 'List-Unsubscribe-Post') !== undefined, i >= 2, 'one-click on all that is not asked for')
    t.equal(mail.raw.toString().match(/^DKIM-Signature:/gm)?.length, 2)
    await stack.becomes(ids[i] as string, 'delivered')
    const [attempt] = await stack.attempts(ids[i] as string)
    t.match(attempt, {
      outcome: 'delivered',
      number: 1,
      mx_host: 'mx.one.rcpt.example',
      mx_address: at('one'),
      local_address: address,
      tls: { verified: false },
    })
    const stages = attempt?.replies.map(({ stage, code }) => `${stage} ${code}`)
    t.match(stages?.slice(-4), ['MAIL 250', 'RCPT 250', 'DATA 354', 'DOT 250'])
  }
  const left = await until(async () => (await leftOver()) === 0, { what: 'nothing is left behind' })
  t.ok(left)
})

t.test('what servers refuse ends as their replies mean it', async (t) => {
  const seen = new Set<string>()
  const replies: Record<string, string> = {
    'gone@no.rcpt.example': '550 5.1.1 User unknown',
    'odd@no.rcpt.example': '550 Nope',
  }
  await startSink(t, at('no'), port, { onRcpt: (to) => replies[to] })
  await startSink(t, at('busy'), port, { onRcpt: () => '451 4.7.1 Rate limited' })
  const grey = await startSink(t, at('grey'), port, {
    onRcpt: (to) => (seen.size === seen.add(to).size ? undefined : '450 4.2.0 Greylisted, come back'),
  })
  await startSink(t, at('full'), port, { onRcpt: () => '552 5.2.2 Mailbox full' })
  const implicit = await startSink(t, '127.0.0.40', port)
  const [
    gone = '',
    fine = '',
    odd = '',
    busy = '',
    greyed = '',
    full = '',
    none = '',
    nx = '',
    empty = '',
    inside = '',
    apex = '',
  ] = await stack.send(
    ...['gone@no', 'fine@no', 'odd@no', 'a@busy', 'a@grey', 'a@full', 'a@null', 'a@nx', 'a@nowhere', 'a@inside'].map(
      (name) => ({ to: `${name}.rcpt.example` }),
    ),
    { to: 'a@rcpt.example' },
  )
  t.match(await stack.becomes(gone, 'bounced'), { reply_class: 'invalid_recipient', reason: '550 5.1.1 User unknown' })
  t.match(await stack.becomes(fine, 'delivered'), {}, 'a refusal is no other message’s')
  t.match(await stack.becomes(odd, 'bounced'), { reply_class: 'unknown' })
  t.match(await stack.becomes(busy, 'deferred'), { reply_class: 'rate_limited' })
  t.match(await stack.becomes(greyed, 'deferred'), { reply_class: 'greylisted' })
  t.match(await stack.becomes(full, 'deferred'), { reply_class: 'mailbox_full' }, 'a full mailbox may have room again')
  t.match(await stack.becomes(none, 'bounced'), { reply_class: 'invalid_domain', reason: /5\.1\.10 .*null MX/ })
  t.match(await stack.becomes(nx, 'bounced'), { reply_class: 'invalid_domain', reason: /5\.1\.2/ })
  t.match(await stack.becomes(empty, 'bounced'), { reply_class: 'invalid_domain' })
  t.match(await stack.becomes(inside, 'failed'), { reply_class: 'loop', reason: /5\.4\.6 .*not public/ })
  await stack.becomes(apex, 'delivered')
  t.equal(implicit.mails.length, 1, 'a domain without MX takes its mail itself')

  const suppressed = () =>
    stack.db.anyFirst(sql.type(z.object({ email: z.string() }))`select email from email.suppressions order by email`)
  t.same(await suppressed(), [
    'a@nowhere.rcpt.example',
    'a@null.rcpt.example',
    'a@nx.rcpt.example',
    'gone@no.rcpt.example',
  ])
  const [again = '', odd2 = ''] = await stack.send({ to: 'gone@no.rcpt.example' }, { to: 'odd@no.rcpt.example' })
  await stack.becomes(again, 'suppressed')
  await stack.becomes(odd2, 'bounced')
  t.ok(
    (await suppressed()).includes('odd@no.rcpt.example'),
    'a refusal without a reason suppresses when it comes again',
  )

  const Waits = z.object({ message_id: z.string(), wait: z.number(), local_address: z.string() })
  const waits = await stack.db.any(sql.type(Waits)`
    select message_id, extract(epoch from due_at - now())::float8 as wait, local_address from email.deliveries`)
  const of = (id: string) => waits.find(({ message_id }) => message_id === id)
  t.ok((of(greyed)?.wait ?? 0) > 280, 'greylisting: not sooner than in five minutes')
  t.equal(of(greyed)?.local_address, ours, 'and from the same address')
  const slowed = await stack.db.one(sql.type(z.object({ level: z.number(), isSuspended: z.boolean() }))`
    select level, suspended_until > now() as "isSuspended" from email.mx_sets where mx_set = 'mx.busy.rcpt.example'`)
  t.match(slowed, { level: 1, isSuspended: true }, 'a server that has too much is left alone')
  await stack.hurry()
  await stack.becomes(greyed, 'delivered')
  t.equal(grey.mails[0]?.remoteAddress, ours)
})

t.test('a message without a reply to its dot is sent again as the same message', async (t) => {
  const dropped: Mail[] = []
  const sink = await startSink(t, at('drop'), port, {
    onMail(mail) {
      if (dropped.length > 0) return undefined
      dropped.push(mail)
      sink.drop()
      return new Promise(() => {})
    },
  })
  const [id = ''] = await stack.send({ to: 'a@drop.rcpt.example' })
  t.match(await stack.becomes(id, 'deferred'), { reply_class: 'unanswered' })
  t.match(await stack.attempts(id), [{ outcome: 'unknown', number: 1 }])
  await stack.hurry()
  await stack.becomes(id, 'delivered')
  const [first, second] = [dropped[0] as Mail, sink.mails[0] as Mail]
  for (const name of ['Message-ID', 'Date', 'From', 'To']) t.equal(fieldOf(second, name), fieldOf(first, name), name)
  t.equal(second.from, first.from)
  t.match(
    (await stack.attempts(id)).map(({ outcome }) => outcome),
    ['unknown', 'delivered'],
  )
})

t.test('a host whose TLS is broken gets its mail in the clear, after one try', async (t) => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const sink = await startSink(t, at('broken'), port, old)
  const [one = '', two = ''] = await stack.send({ to: 'a@broken.rcpt.example' }, { to: 'b@broken.rcpt.example' })
  await stack.becomes(one, 'delivered')
  await stack.becomes(two, 'delivered')
  t.same(
    sink.mails.map(({ secure }) => secure),
    [false, false],
  )
  t.ok(sink.sessions <= 3, 'what is broken is remembered')
  const [attempt] = await stack.attempts(one)
  t.equal(attempt?.tls, null)
})

t.test('a server that takes its time delays nobody else’s mail, and connections serve many messages', async (t) => {
  const held: (() => void)[] = []
  const slow = await startSink(t, at('slow'), port, {
    onMail: () => new Promise((done) => held.push(() => done(undefined))),
  })
  const quick = await startSink(t, at('quick'), port)
  await stack.send(...Array.from({ length: 40 }, (_, i) => ({ to: `a${i}@slow.rcpt.example` })))
  await until(() => held.length > 0, { what: 'the slow server has a message' })
  const ids = await stack.send(...Array.from({ length: 60 }, (_, i) => ({ to: `b${i}@quick.rcpt.example` })))
  const [two = ''] = await stack.send({ to: 'c@two.rcpt.example' })
  for (const id of [...ids, two]) await stack.becomes(id, 'delivered')
  t.equal(slow.mails.length, 0, 'while the slow one still thinks')
  t.ok(slow.sessions <= 10, 'of which it has ten connections at most')
  t.ok(quick.sessions <= 11, `${quick.sessions} sessions for 61 messages`)
  t.match(await lastReply(two), { stage: 'DOT', code: 250 })
  const [attempt] = await stack.attempts(two)
  t.match(attempt, { mx_host: 'mx.quick.rcpt.example', outcome: 'delivered' })
  t.match(
    attempt?.replies[0],
    { stage: 'connect', code: null, text: /127\.0\.0\.29.*ECONNREFUSED/ },
    'the first MX was away',
  )
  for (const release of held) release()
})

t.test('a smarthost takes all mail, which is sent then, not delivered', async (t) => {
  const [other, sink] = await Promise.all([mailStack(t), startSink(t, at('one'), port)])
  await other.startWorkers({ MAIL_SMARTHOST: `smtp://${at('one')}:${port}` }, 'mail-transactional')
  const [id = ''] = await other.send({ to: 'ada@anywhere.example', html: '<p>Hello</p>', subject: 'Grüße' })
  await other.becomes(id, 'sent')
  const mail = await simpleParser((await sink.mailTo('ada@anywhere.example')).raw)
  t.match(mail, { subject: 'Grüße', text: /Hello/, html: /<p>Hello<\/p>/ })
})
