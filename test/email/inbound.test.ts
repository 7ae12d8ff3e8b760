import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import { returnLocalPart } from '#tasks/email/rules/received/return-path.ts'
import { createAggregateReader } from '../../ingress/email/inbound/aggregate-reader.ts'
import { createSmtp } from '../../ingress/email/inbound/smtp.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { bounceForms } from './bounce-forms.ts'
import { addContact, contactStatus, dsn, inboundStack, secret } from './inbound-fixture.ts'
import { dial, send } from './smtp-client.ts'

t.setTimeout(240_000)
const stack = await inboundStack(t)
const { port, message, read, suppressed, noted } = stack
const gone =
  'Final-Recipient: rfc822; no@rcpt.example\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user'
const bounceOf = (to: string, text: string) => send(t, port, '', to, text)

t.test(
  'a report that the address is not there bounces its message, suppresses the address and is told to webhooks',
  async (t) => {
    const sent = await message()
    t.match(await bounceOf(sent.verp, dsn(gone)), /^250 /)
    t.match(await read(sent.id), {
      status: 'bounced',
      reply_class: 'invalid_recipient',
      reason: '550 5.1.1 No such user',
    })
    t.match(await suppressed(sent.to), [{ reason: 'bounce', message_id: sent.id }])
    t.match(await bounceOf(sent.verp, dsn(gone)), /^250 /, 'told twice')
    t.equal((await suppressed(sent.to)).length, 1)
  },
)

t.test('a report says what it says however its fields are written', async (t) => {
  const written: [fields: string, expected: object][] = [
    [
      'FINAL-RECIPIENT: RFC822;no@rcpt.example\nACTION: Failed\nSTATUS: 5.1.1 (no such user)',
      { reply_class: 'invalid_recipient' },
    ],
    [
      'action:failed\nStatus:5.7.1\nDiagnostic-Code: smtp; 554 5.7.1\n\trefused by\n  policy',
      { reply_class: 'policy', reason: '554 5.7.1 refused by policy' },
    ],
    [
      'Action: failed\nStatus: 5.2.2\nDiagnostic-Code: X-Unix; over quota',
      { reply_class: 'mailbox_full', reason: 'over quota' },
    ],
    ['Action: delivered\nStatus: 2.0.0\n\nAction: failed\nStatus: 5.1.2', { reply_class: 'invalid_domain' }],
    ['Action: failed\nStatus: nonsense', { reply_class: 'unknown' }],
    ['Action: failed\nStatus: 4.4.7', { reply_class: 'expired' }],
    ['Action: failed\nStatus: 5.1.8', { reply_class: 'bad_sender' }],
    [
      `Action: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 554 ${'x'.repeat(495)}👍 and more`,
      { reason: `554 ${'x'.repeat(495)}` },
    ],
  ]
  for (const [fields, expected] of written) {
    const sent = await message()
    t.match(await bounceOf(sent.verp, dsn(fields)), /^250 /, fields)
    t.match(await read(sent.id), { status: 'bounced', ...expected }, fields)
    const isHard = 'reply_class' in expected && String(expected.reply_class).startsWith('invalid_')
    t.equal((await suppressed(sent.to)).length, isHard ? 1 : 0, fields)
  }
})

t.test('a full mailbox that turns out to be gone suppresses its address, once', async (t) => {
  const sent = await message()
  await bounceOf(sent.verp, dsn('Action: failed\nStatus: 5.2.2'))
  t.match(await read(sent.id), { status: 'bounced', reply_class: 'mailbox_full' })
  t.same(await suppressed(sent.to), [])
  await bounceOf(sent.verp, dsn(gone))
  t.match(await read(sent.id), { status: 'bounced', reply_class: 'invalid_recipient' })
  t.match(await suppressed(sent.to), [{ reason: 'bounce' }])
  await bounceOf(sent.verp, dsn('Action: failed\nStatus: 5.1.2'))
  t.match(await read(sent.id), { reply_class: 'invalid_recipient' }, 'nothing more is told of it')
})

t.test('a disabled mailbox suppresses when it comes again, and a report told twice is one', async (t) => {
  const [first, second] = [await message({ to: 'off@rcpt.example' }), await message({ to: 'off@rcpt.example' })]
  const disabled = dsn('Action: failed\nStatus: 5.2.1')
  await bounceOf(first.verp, disabled)
  await bounceOf(first.verp, disabled)
  t.match(await read(first.id), { reply_class: 'recipient_disabled' })
  t.same(await suppressed('off@rcpt.example'), [])
  await bounceOf(second.verp, disabled)
  t.match(await suppressed('off@rcpt.example'), [{ reason: 'bounce', message_id: second.id }])
  const { hard, bounced } = await stack.db.one(sql.type(z.object({ hard: z.number(), bounced: z.number() }))`
    select sum(hard_bounced)::integer as hard, sum(bounced)::integer as bounced from email.daily`)
  t.match({ hard, bounced }, { hard: 7, bounced: 12 }, 'each message counts once')
})

t.test(
  'a bounce in whatever form leaves a trace and its message bounced, unless it says delayed or delivered',
  async (t) => {
    for (const { what, text, is, suppresses = false } of bounceForms) {
      const sent = await message()
      t.match(await bounceOf(sent.verp, text(sent.to)), /^250 /, what)
      t.match(await read(sent.id), is, what)
      t.equal((await suppressed(sent.to)).length, suppresses ? 1 : 0, what)
      t.equal((await noted(sent.id)).length, 1, `${what} leaves a trace`)
    }
  },
)

t.test('links and mailboxes to unsubscribe work for a year and more, though the message is gone', async (t) => {
  const { db, org, url } = stack
  const [byLink, byMail] = [await message(), await message()]
  const age = (days: number) =>
    db.query(sql.typeAlias('void')`
    update email.messages set created_at = now() - make_interval(days => ${days}) where id in (${byLink.id}, ${byMail.id})`)
  await age(399)
  await pruneArea(db, 'email')
  t.equal(await read(byLink.id), null)
  const page = `${url}${new URL(byLink.unsubscribeUrl).pathname}`
  t.match(await (await fetch(page)).text(), /Unsubscribe\?/)
  t.equal((await fetch(page, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status, 200)
  t.match(await send(t, port, byMail.to, byMail.unsubscribe, ''), /^250 /)
  for (const { to } of [byLink, byMail]) t.equal(await contactStatus(db, org.id, to), 'unsubscribed')
  t.match(await bounceOf(byLink.verp, dsn(gone)), /^550 /, 'nothing else is taken for it')
  await db.query(sql.typeAlias('void')`update email.past_recipients set created_at = now() - interval '401 days'`)
  await pruneArea(db, 'email')
  t.equal((await fetch(page)).status, 404)
})

t.test(
  'the mailbox of a message with a topic unsubscribes from the topic only, also when the message is gone',
  async (t) => {
    const { db, org } = stack
    const [sent, past, plain] = [await message(), await message(), await message()]
    for (const { to } of [sent, past, plain]) await addContact(db, org.id, to)
    await db.query(sql.typeAlias('void')`update email.messages set topic = 'news' where id in (${sent.id}, ${past.id})`)
    await db.query(sql.typeAlias('void')`
    update email.messages set created_at = now() - interval '399 days' where id = ${past.id}`)
    await pruneArea(db, 'email')
    t.equal(await read(past.id), null)
    for (const { to, unsubscribe } of [sent, past, plain]) t.match(await send(t, port, to, unsubscribe, ''), /^250 /)
    for (const { to } of [sent, past])
      t.match(await contacts.find(db, org.id, to), { status: 'confirmed', topics: { news: 'unsubscribed' } })
    t.match(await contacts.find(db, org.id, plain.to), { status: 'unsubscribed', topics: {} })
    t.match(await send(t, port, sent.to, sent.unsubscribe, ''), /^250 /, 'repeated')
    t.match(await contacts.find(db, org.id, sent.to), { status: 'confirmed' })
    t.match(await send(t, port, '', plain.unsubscribe, ''), /^550 /, 'a report cannot unsubscribe')
  },
)

t.test('what is no failure changes nothing, and is noted', async (t) => {
  const sent = await message()
  const notFailed: [text: string, kind: string][] = [
    [dsn('Action: delayed\nStatus: 4.4.1\nWill-Retry-Until: Tue, 24 Nov 2026 10:00:00 +0000'), 'report'],
    [dsn('Action: delivered\nStatus: 2.0.0'), 'report'],
    [dsn('Action: relayed\nStatus: 2.0.0'), 'report'],
    [
      'From: reader@rcpt.example\nAuto-Submitted: auto-replied\nSubject: Away\n\nAction: failed\nStatus: 5.1.1\n',
      'reply',
    ],
    ['', 'reply'],
    [
      `Content-Type: multipart/report; boundary=x\n\n${'--x\nContent-Type: multipart/mixed; boundary=x\n\n'.repeat(3_000)}`,
      'reply',
    ],
    [`Content-Type: ${'a'.repeat(300_000)}\n\n`, 'reply'],
  ]
  for (const [text, kind] of notFailed) {
    t.match(await bounceOf(sent.verp, text), /^250 /, text.slice(0, 300))
    t.equal((await noted(sent.id))[0], kind, text.slice(0, 300))
  }
  t.match(await read(sent.id), { status: 'delivered' })
  t.same(await suppressed(sent.to), [])
})

t.test('only addresses of ours with a MAC of ours are taken, from whom they are for', async (t) => {
  const [sent, old] = [await message(), await message({ at: Date.now() - 15 * 86_400_000 })]
  const [local = '', host = ''] = sent.verp.split('@')
  const forged = local.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const refused: [from: string, to: string, why: RegExp][] = [
    ['', `${forged}@${host}`, /^550 .*No such mailbox/],
    ['', `${local}@elsewhere.example`, /^550 .*Relay access denied/],
    ['', 'reader@rcpt.example', /^550 .*Relay access denied/],
    ['', `reader@${host}`, /^550 .*No such mailbox/],
    ['', `${local.replace('b+', 'u+')}@${host}`, /^550 .*No such mailbox/],
    ['', `"${local}"@${host}`, /^5/],
    ['', `${local}%elsewhere.example@${host}`, /^550 .*No such mailbox/],
    ['someone@rcpt.example', sent.verp, /^550 .*only delivery reports/],
    ['', sent.unsubscribe, /^550 /],
    ['', old.verp, /^550 .*14 days/],
    ['', `${returnLocalPart('b', '01900000-0000-7000-8000-000000000000', secret)}@${host}`, /^550 /],
  ]
  for (const [from, to, why] of refused) t.match(await send(t, port, from, to, dsn(gone)), why, `${from} → ${to}`)
  t.match(await read(sent.id), { status: 'delivered' })
  t.match(await bounceOf(sent.verp.toUpperCase(), dsn(gone)), /^250 /, 'a server may fold an address')
})

t.test('the server offers neither AUTH nor relay, and takes a mail for up to 100 recipients', async (t) => {
  const sent = await message()
  const { greeting, client } = await dial(t, port)
  t.match(greeting, /^220 \S+ ESMTP/)
  const offered = await client.say('EHLO mx.rcpt.example')
  t.notMatch(offered, /AUTH|STARTTLS|SMTPUTF8|XCLIENT/)
  t.match(offered, /SIZE 26214400/)
  t.match(await client.say('AUTH PLAIN AGEAYg=='), /^5/)
  t.match(await client.say('MAIL FROM:<> SIZE=99999999'), /^552/)
  t.match(await client.say('MAIL FROM:<>'), /^250/)
  t.match(await client.say('DATA'), /^503/)
  t.match(await client.say(`RCPT TO:<${sent.verp}>`), /^250/)
  // RFC 5321 §4.5.3.1.8.
  const others = await Promise.all(Array.from({ length: 99 }, () => message()))
  for (const { verp } of [...others, sent]) t.match(await client.say(`RCPT TO:<${verp}>`), /^250/)
  t.match(await client.say('RCPT TO:<postmaster>'), /^452/)
  t.match(await client.say('DATA'), /^354/)
  t.match(await client.say(`${dsn(gone).replaceAll('\n', '\r\n')}\r\n.`), /^250/)
  for (const { id } of [...others, sent]) {
    t.match(await read(id), { status: 'bounced', reply_class: 'invalid_recipient' })
    t.equal((await noted(id)).length, 1)
  }
})

t.test('a report to many recipients is read once', async (t) => {
  let reads = 0
  const reports = {
    async read() {
      reads++
      return null
    },
    async close() {},
  }
  const noStorage = () => {
    throw new Error('No mail is stored here.')
  }
  const { smtp } = createSmtp({
    db: stack.db,
    reports,
    aggregates: createAggregateReader(),
    storage: noStorage,
    secret,
    tls: undefined,
  })
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => void smtp.close(() => resolve())))
  const { client } = await dial(t, (smtp.server.address() as AddressInfo).port)
  const sent = await Promise.all([message(), message(), message()])
  for (const line of ['EHLO x', 'MAIL FROM:<>', ...sent.map(({ verp }) => `RCPT TO:<${verp}>`), 'DATA'])
    t.match(await client.say(line), /^[23]/)
  t.match(await client.say('Subject: Report\r\n\r\nHello\r\n.'), /^250/)
  t.equal(reads, 1)
  for (const { id } of sent) t.same(await noted(id), ['reply'])
  client.socket.end('QUIT\r\n')
})

t.test('a report is taken whole or cut, a mail beyond all measure is not', async (t) => {
  const sent = await message()
  const large = dsn(gone).replace(
    '--=_b--',
    `--=_b\nContent-Type: message/rfc822\n\nSubject: News\n\n${`${'x'.repeat(70)}\n`.repeat(40_000)}\n--=_b--`,
  )
  t.match(await bounceOf(sent.verp, large), /^250 /, `${large.length} bytes`)
  t.match(await read(sent.id), { status: 'bounced' })
  const next = await message()
  t.match(await bounceOf(next.verp, dsn(gone) + 'x'.repeat(76).concat('\n').repeat(80_000)), /^552 /)
  t.match(await read(next.id), { status: 'delivered' })
})

t.test('a client that guesses recipients is put off, and one that comes too often', async (t) => {
  const { client } = await dial(t, port)
  await client.say('EHLO x')
  await client.say('MAIL FROM:<>')
  const replies: string[] = []
  for (let i = 0; i < 5; i++) replies.push(await client.say(`RCPT TO:<a${i}@bounce.sender.example>`))
  t.match(replies.at(-1), /^421 /)
  t.equal(await client.hear(), 'closed')

  const strict = await inboundStack(t, { connections: 2, perMinute: 3, all: 100, replaceableMs: 60_000 })
  const held = [await dial(t, strict.port), await dial(t, strict.port)]
  t.match((await dial(t, strict.port)).greeting, /^421 .*connections/)
  for (const { client } of held) await client.say('QUIT')
  const sent = await strict.message()
  const tries: string[] = []
  for (let i = 0; i < 4; i++)
    tries.push(
      await until(async () => {
        const reply = await send(t, strict.port, '', sent.verp, dsn(gone))
        return reply.includes('connections') ? false : reply
      }),
    )
  t.match(tries, [/^250/, /^250/, /^250/, /^421 .*mail/])

  const named = await inboundStack(t, { connections: 2, perMinute: 3, all: 100, replaceableMs: 60_000 })
  const { verp } = await named.message()
  const { client: idle } = await dial(t, named.port)
  await idle.say('EHLO x')
  const answers: string[] = []
  for (let i = 0; i < 4; i++) {
    await idle.say('MAIL FROM:<>')
    answers.push(await idle.say(`RCPT TO:<${verp}>`))
    await idle.say('RSET')
  }
  t.match(answers, [/^250/, /^250/, /^250/, /^421 .*mail/], 'recipients count without a mail')
})
