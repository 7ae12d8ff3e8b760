import { simpleParser } from 'mailparser'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { get, signIn } from '../console/fixture.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { message, sending } from './sending.ts'

t.setTimeout(240_000)
const [ours, oursToo] = ['127.0.0.130', '127.0.0.131']
const port = await freePort()
const { db, databaseUrl, sender, ingress } = await sending(t, ['console'])
const hosts = {
  shared: '127.0.0.61',
  listed: '127.0.0.62',
  small: '127.0.0.63',
  files: '127.0.0.64',
  words: '127.0.0.65',
  cased: '127.0.0.66',
  people: '127.0.0.67',
}
const [stack, nsd] = await Promise.all([
  mailStack(t, 'other.example', { url: databaseUrl, db }),
  startNsd(t, {
    'rcpt.example': Object.entries(hosts)
      .map(([name, address]) => `${name} IN MX 10 mx.${name}\nmx.${name} IN A ${address}`)
      .join('\n'),
  }),
])
await stack.startWorkers(
  {
    DNS_RESOLVERS: nsd.dns,
    MAIL_MX_PORT: String(port),
    MAIL_MX_ALLOWED: '127.0.0.0/24',
    MAIL_TRANSACTIONAL_ADDRESSES: `${ours}=mta1.platform.example`,
    MAIL_CAMPAIGN_ADDRESSES: `${oursToo}=mta2.platform.example`,
  },
  'mail-transactional,mail-campaign',
)

/** An organisation that sends, and what it sees of its messages. */
async function shop() {
  const own = await sender()
  const domain = `shop.${own.domain}`
  await addDomain(db, own.orgId, domain)
  const read = async (id: string) => (await own.ask(`GET /send/v1/messages/${id}`)).body
  return {
    ...own,
    read,
    async send(to: string, more: object = {}): Promise<string> {
      const { status, body, text } = await own.ask('POST /send/v1/messages', {
        body: { ...message(domain), to, ...more },
      })
      if (status !== 202) throw new Error(text)
      return body.id
    },
    becomes: (id: string, wanted: string) =>
      until(
        async () => {
          const found = await read(id)
          return found.status === wanted && found
        },
        { what: `a message is ${wanted}` },
      ),
  }
}
const [one, other] = [await shop(), await shop()]

t.test('the wording of a refusal of one recipient or message stops no other mail to its server', async (t) => {
  const refusals: Record<string, string> = {
    'spamhaus-fan@shared.rcpt.example':
      '550 5.1.1 <spamhaus-fan@shared.rcpt.example>: Recipient address rejected: User unknown',
    'picky@shared.rcpt.example':
      '550 5.7.1 <orders@shop.example>: Sender address rejected: on the blocklist of this recipient',
    'other@shared.rcpt.example':
      '554 5.7.1 Service unavailable; Client host [127.0.0.131] blocked using zen.spamhaus.org',
  }
  await startSink(t, hosts.shared, port, {
    onRcpt: (to) => refusals[to],
    onMail: ({ to }) =>
      to.startsWith('link') ? '554 5.7.1 Rejected: a link in it is listed at dbl.spamhaus.org' : undefined,
  })
  const gone = await one.send('spamhaus-fan@shared.rcpt.example')
  t.match(await one.becomes(gone, 'bounced'), { reply_class: 'invalid_recipient' })
  t.match((await one.ask('GET /send/v1/suppressions')).body.data, [{ email: 'spamhaus-fan@shared.rcpt.example' }])
  t.match(await one.becomes(await one.send('picky@shared.rcpt.example'), 'bounced'), { reply_class: 'policy' })
  t.match(await one.becomes(await one.send('link@shared.rcpt.example'), 'bounced'), { reply_class: 'content' })
  const elsewhere = await one.becomes(await one.send('other@shared.rcpt.example'), 'deferred')
  t.match(elsewhere, { reply_class: 'blocked' }, 'it names an address that this mail does not come from')
  t.match(elsewhere.route, [
    { outcome: 'deferred', reason: /^554 5\.7\.1 Service unavailable/ },
    { outcome: 'waiting', number: 2, reply_class: 'blocked', reason: /retries then/ },
  ])
  await other.becomes(await other.send('ann@shared.rcpt.example'), 'delivered')
})

t.test(
  'a server that lists our address is left alone, and what waits for it says so without naming others',
  async (t) => {
    await startSink(t, hosts.listed, port, {
      onRcpt: (to) => `554 5.7.1 <${to}>: Client host [${ours}] blocked using zen.spamhaus.org`,
    })
    await one.becomes(await one.send('secret.recipient@listed.rcpt.example'), 'deferred')
    const id = await other.send('bob@listed.rcpt.example')
    const { route } = await until(
      async () => {
        const found = await other.read(id)
        return found.route[0]?.reply_class === 'blocked' && found
      },
      { what: 'the message waits for the server' },
    )
    const [waiting] = route
    t.match(waiting, {
      number: 1,
      outcome: 'waiting',
      reply_class: 'blocked',
      reason: /receiving server blocks our sending address/,
      replies: [],
    })
    t.notMatch(JSON.stringify(route), 'secret.recipient')
    const minutes = (Date.parse(waiting.ended_at) - Date.parse(waiting.started_at)) / 60_000
    t.ok(minutes > 50 && minutes <= 60, `it waits ${minutes} minutes`)
  },
)

t.test('/ops/mail and the route show the reply that decided, not one to a command behind it', async (t) => {
  const bounced = (await one.ask('GET /send/v1/messages?status=bounced')).body.data.at(-1)
  const { route } = await one.read(bounced.id)
  t.match(route[0].replies.at(-1), { stage: 'DATA', code: 503 }, 'commands are pipelined')
  t.match(route[0].reason, /^550 5\.1\.1 <spamhaus-fan@/)
  const { org, keys } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url: ingress.url, key: keys.main, orgId: org.id })
  const { text } = await get(ingress.url, '/ops/mail', cookie)
  t.match(text, 'Recipient address rejected: User unknown')
  t.notMatch(text, /503 /)
})

t.test('a message above the SIZE of the receiving server bounces at once', async (t) => {
  const sink = await startSink(t, hosts.small, port, { size: 20_000 })
  const large = await one.send('ann@small.rcpt.example', { text: 'x'.repeat(30_000) })
  t.match(await one.becomes(large, 'bounced'), {
    reply_class: 'too_large',
    reason: /^552 5\.3\.4 The receiving server accepts messages of up to 20000 bytes/,
    route: [{ outcome: 'bounced', reason: /up to 20000 bytes/ }],
  })
  await one.becomes(await one.send('bob@small.rcpt.example'), 'delivered')
  t.equal(sink.mails.length, 1)
})

t.test('an invitation is shown by mail clients, and files of any type and size arrive', async (t) => {
  const sink = await startSink(t, hosts.files, port)
  const ics = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Shop//EN',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    'UID:1@shop.example',
    'DTSTAMP:20270101T090000Z',
    'DTSTART:20270102T090000Z',
    'SUMMARY:Grüße',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  await one.send('ann@files.rcpt.example', {
    html: '<p>Come!</p>',
    attachments: [
      {
        filename: 'invite.ics',
        content_type: 'text/calendar; charset=utf-8; method=REQUEST',
        content: base64(ics),
      },
      { filename: 'empty.txt', content_type: 'text/plain;charset="us-ascii"', content: '' },
      {
        filename: '=?utf-8?q?x?=.pdf',
        content_type: 'application/pdf; name=y.pdf; version="1.7"',
        content: 'JVBERi0=',
      },
      { filename: 'a =?utf-8?q?word?= b.txt', content_type: 'text/plain', content: '' },
      { filename: `=?utf-8?b?${'é"x '.repeat(30)}`, content_type: 'text/plain', content: '' },
    ],
  })
  const { raw } = await sink.mailTo('ann@files.rcpt.example')
  const [alternative = ''] = raw.toString().split(/\r\n--[^\r]+\r\n(?=Content-Type: application\/ics)/)
  t.match(
    alternative.replaceAll('\r\n', ' '),
    /text\/plain.*text\/html.*Content-Type: text\/calendar; charset=utf-8; method=REQUEST/,
  )
  const { attachments } = await simpleParser(raw)
  t.match(
    attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
    [
      { filename: undefined, contentType: 'text/calendar', size: Buffer.byteLength(ics) },
      { filename: 'invite.ics', contentType: 'application/ics', size: Buffer.byteLength(ics) },
      { filename: 'empty.txt', contentType: 'text/plain', size: 0 },
      { filename: '=?utf-8?q?x?=.pdf', contentType: 'application/pdf', size: 5 },
      { filename: 'a =?utf-8?q?word?= b.txt', contentType: 'text/plain', size: 0 },
      { filename: `=?utf-8?b?${'é"x '.repeat(30)}`, contentType: 'text/plain', size: 0 },
    ],
  )
  const [, typed = ''] = /\r\n(Content-Type: application\/pdf(?:.|\r\n[ \t])*)\r\n\S/.exec(raw.toString()) ?? []
  t.match(typed, /; version=1\.7;\s+name="=\?UTF-8\?Q\?[^"]*"$/, 'the name is encoded, and stands in the type once')
  t.notMatch(raw.toString(), '=?utf-8?', 'no name is sent as it looks')
  t.equal(attachments[0]?.content.toString(), ics)
})

t.test('what looks like an encoded word arrives as it was written', async (t) => {
  const sink = await startSink(t, hosts.words, port)
  const said = '=?utf-8?Q?Not_this?= but "this" =?x Grüße'
  for (const text of [said, '=?utf-8?B?SGk=?=', `${'=?iso-8859-1?q?=41?= '.repeat(20).trim()}`]) {
    const to = `a${text.length}@words.rcpt.example`
    await one.send(to, {
      subject: text,
      from: { email: `orders@shop.${one.domain}`, name: text.slice(0, 200) },
      headers: { 'X-Said': text },
    })
    const mail = await simpleParser((await sink.mailTo(to)).raw)
    t.equal(mail.subject, text)
    t.equal(mail.from?.value[0]?.name, text.slice(0, 200))
    t.equal(mail.from?.value[0]?.address, `orders@shop.${one.domain}`)
    const [, field = ''] = mail.headerLines.find(({ key }) => key === 'x-said')?.line.split(/: (.*)/s) ?? []
    t.equal((await simpleParser(`Subject: ${field}\r\n\r\n`)).subject, text)
  }
})

t.test('a local part goes out as it was written, and is one address for suppression', async (t) => {
  const sink = await startSink(t, hosts.cased, port)
  const id = await one.send('Ann.Smith@CASED.rcpt.example', {
    cc: ['Bob.Jones@cased.rcpt.example'],
    from: { email: `Orders@shop.${one.domain}` },
    reply_to: `Help@shop.${one.domain}`,
  })
  await one.becomes(id, 'delivered')
  const mail = await sink.mailTo('Ann.Smith@cased.rcpt.example')
  const header = await simpleParser(mail.raw)
  t.match(header.to, { text: 'Ann.Smith@cased.rcpt.example' })
  t.match(header.cc, { text: 'Bob.Jones@cased.rcpt.example' })
  t.match(header.from, { text: `Orders@shop.${one.domain}` })
  t.match(header.replyTo, { text: `Help@shop.${one.domain}` })
  await sink.mailTo('Bob.Jones@cased.rcpt.example')
  t.equal((await one.ask('GET /send/v1/messages?to=ann.smith@cased.rcpt.example')).body.data.length, 1)
  t.equal(
    (await one.ask('POST /send/v1/suppressions', { body: { email: 'ann.smith@cased.rcpt.example' } })).status < 300,
    true,
  )
  const held = await one.send('ANN.SMITH@cased.rcpt.example')
  t.match(await one.read(held), { status: 'suppressed', to: 'ann.smith@cased.rcpt.example' })
  const twice = { ...message(`shop.${one.domain}`), to: 'A@cased.rcpt.example', cc: ['a@cased.rcpt.example'] }
  t.same(fieldsOf(await one.ask('POST /send/v1/messages', { body: twice })), ['body.cc.0'])
})

t.test('mail to a contact goes to its address as it was written last', async (t) => {
  const sink = await startSink(t, hosts.people, port)
  const at = (local: string) => `${local}@people.rcpt.example`
  const add = (local: string) => one.ask('POST /send/v1/contacts', { body: { email: at(local) } })
  const take = (raw: string | object, key = one.key) =>
    typeof raw === 'string'
      ? ingress.ask('POST /send/v1/contacts/import', { key, raw, headers: { 'content-type': 'text/csv' } })
      : one.ask('POST /send/v1/contacts/import', { key, body: raw })
  t.match((await add('Ann.Smith')).body, { email: at('ann.smith'), written: undefined })
  for (const local of ['BOB', 'Carol', 'dan', 'Eve']) t.equal((await add(local)).status, 201)
  t.match((await add('Bob')).body, { email: at('bob') })
  await add('carol')
  const list = [at('DAN'), at('Dan'), at('Fay'), at('fay'), at('Gus')].map((email) => ({ email }))
  t.match((await take({ contacts: list })).body, { imported: 2, existing: 3, invalid: 0 })
  t.match((await take(`email\n${at('Hal')}\n${at('EVE')}\n`)).body, { imported: 1, existing: 1 })
  const changed = await one.ask(`PATCH /send/v1/contacts/${at('ann.smith')}`, { body: { name: 'Ann' } })
  t.match(changed.body, { name: 'Ann', written: undefined })
  t.equal((await one.ask(`GET /send/v1/contacts/${at('ANN.smith')}`)).body.email, at('ann.smith'))

  const from_email = `news@shop.${one.domain}`
  const fields = { name: 'a', subject: 'News', html: '<p>Hello</p>', from_email }
  const { id } = (await one.ask('POST /send/v1/campaigns', { body: fields })).body
  const tested = await one.ask(`POST /send/v1/campaigns/${id}/test`, { body: { to: [at('Me'), at('ann.smith')] } })
  t.match(tested.body.messages, [{ to: at('me') }, { to: at('ann.smith') }])
  for (const local of ['Me', 'Ann.Smith']) {
    const mail = await simpleParser((await sink.mailTo(at(local))).raw)
    t.match(mail, { subject: '[Test] News', to: { text: at(local) } })
  }
  sink.mails.length = 0
  t.equal((await one.ask(`POST /send/v1/campaigns/${id}/send`)).status, 202)
  t.equal((await one.ask('POST /send/v1/contacts/reconfirm', { body: { from_email } })).status, 202)
  for (const local of ['Ann.Smith', 'Bob', 'carol', 'Dan', 'EVE', 'fay', 'Gus', 'Hal'])
    t.match((await simpleParser((await sink.mailTo(at(local))).raw)).to, { text: at(local) })
  t.equal(sink.mails.length, 8, 'each is one contact, however it was written')
  await one.send(at('bob'), { cc: [at('gus')], from: { email: `bob@shop.${one.domain}` } })
  await until(() => sink.mails.length === 10, { what: 'a message and its copy are delivered' })
  t.same(
    sink.mails
      .slice(8)
      .map(({ to }) => to)
      .sort(),
    [at('Bob'), at('Gus')],
  )
  await one.ask('POST /send/v1/suppressions', { body: { email: at('BOB') } })
  t.match(await one.read(await one.send(at('Bob'))), { status: 'suppressed', to: at('bob') })

  await take(`email\n${at('Tried')}\n`, one.sandbox)
  await one.ask('POST /send/v1/contacts', { key: one.sandbox, body: { email: at('Ann.SMITH') } })
  const kept = await db.anyFirst(sql.type(z.object({ written: z.string().nullable() }))`
    select written from email.sandbox_contacts where org_id = ${one.orgId} order by email`)
  t.same(kept, [at('Ann.SMITH'), at('Tried')])
})
