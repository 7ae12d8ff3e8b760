import t from 'tap'
import { config } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { addContact, contactStatus, inboundStack, report, type Sent } from './inbound-fixture.ts'
import { send } from './smtp-client.ts'

t.setTimeout(240_000)
const stack = await inboundStack(t, undefined, ['account'])
const { db, org, port, message, read, suppressed, noted } = stack
const mailbox = (name: string) => `${name}@${config.MAIL_HOSTNAME}`
const feedback = (to: string, text: string) => send(t, port, 'fbl@provider.example', to, text)

/** A feedback report (RFC 5965 §2) on what a header was returned of. */
const arf = (type: string, header: string, more = '', form = 'message/rfc822') =>
  report(
    'feedback-report',
    ['text/plain', 'This is an abuse report.'],
    ['message/feedback-report', `Feedback-Type: ${type}\nUser-Agent: Provider/1.0\nVersion: 1\n${more}`],
    [form, form === 'message/rfc822' ? `${header}\n\nHello` : header],
  )

const header = {
  returnPath: ({ verp }: Sent) => `Return-Path: <${verp}>\nFrom: News <news@sender.example>\nSubject: News`,
  listUnsubscribe: ({ unsubscribeUrl }: Sent) =>
    `From: news@sender.example\nList-Unsubscribe:\n\t<mailto:strange@example.com?subject=out>,\n <${unsubscribeUrl}>`,
  mailto: ({ unsubscribe }: Sent) => `list-unsubscribe: <mailto:${unsubscribe}?subject=unsubscribe>`,
  messageId: ({ messageId }: Sent) => `From: "News, daily" <News@Sender.example>\nMessage-ID:\n <${messageId}>`,
  none: () => 'From: News <news@sender.example>\nSubject: News',
}

t.test('a complaint is attributed by what only its message carries, in either form of report', async (t) => {
  const ways: [name: string, text: (sent: Sent) => string][] = [
    ['Return-Path', (sent) => arf('abuse', header.returnPath(sent))],
    ['Return-Path, headers only', (sent) => arf('abuse', header.returnPath(sent), '', 'text/rfc822-headers')],
    ['List-Unsubscribe', (sent) => arf('Abuse', header.listUnsubscribe(sent))],
    ['its mailbox', (sent) => arf('fraud', header.mailto(sent), '', 'text/rfc822-headers')],
    ['Message-ID', (sent) => arf('abuse', header.messageId(sent))],
    ['Original-Mail-From', (sent) => arf('abuse', header.none(), `Original-Mail-From: <${sent.verp}>\n`)],
  ]
  for (const [name, text] of ways) {
    const sent = await message()
    await addContact(db, org.id, sent.to)
    t.match(await feedback(mailbox('complaints'), text(sent)), /^250 /, name)
    t.match(await read(sent.id), { status: 'complained' }, name)
    t.match(await suppressed(sent.to), [{ reason: 'complaint', message_id: sent.id }], name)
    t.equal(await contactStatus(db, org.id, sent.to), 'unsubscribed', name)
    t.same(await noted(sent.id), ['complaint'], name)
  }
})

t.test(
  'by a Message-ID that copies have, too, no recipient is taken to complain; by its own envelope each is',
  async (t) => {
    const [sent, copy] = [await message(), await message()]
    await db.query(sql.typeAlias('void')`update email.messages set copy_of = ${sent.id} where id = ${copy.id}`)
    t.match(await feedback(mailbox('complaints'), arf('abuse', header.messageId(sent))), /^(250|554) /)
    for (const { id } of [sent, copy]) t.match(await read(id), { status: 'delivered' })
    t.match(await feedback(mailbox('complaints'), arf('abuse', header.returnPath(copy))), /^250 /)
    t.match([await read(sent.id), await read(copy.id)], [{ status: 'delivered' }, { status: 'complained' }])
  },
)

t.test('what is no complaint, or of no message of ours, changes nothing', async (t) => {
  const sent = await message()
  await addContact(db, org.id, sent.to)
  const known = header.returnPath(sent)
  const [local = '', host = ''] = sent.verp.split('@')
  const forged = `${local.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))}@${host}`
  const none: [name: string, text: string][] = [
    ['not-spam', arf('not-spam', known)],
    ['virus', arf('virus', known)],
    ['no type', report('feedback-report', ['message/feedback-report', 'Version: 1'], ['message/rfc822', known])],
    ['the recipient alone', arf('abuse', header.none(), `Original-Rcpt-To: <${sent.to}>\n`)],
    ['a forged MAC', arf('abuse', `Return-Path: <${forged}>`)],
    ['a Message-ID that another domain sent', arf('abuse', `From: a@other.example\nMessage-ID: <${sent.messageId}>`)],
    ['a Message-ID of nobody', arf('abuse', 'From: news@sender.example\nMessage-ID: <0190@sender.example>')],
    ['a token within the text', arf('abuse', `Subject: News\n\n${known}`)],
  ]
  for (const [name, text] of none) t.match(await feedback(mailbox('abuse'), text), /^250 /, name)
  t.match(await feedback(mailbox('complaints'), 'From: a@b.example\nSubject: Help\n\nHelp!'), /^554 .*feedback reports/)
  t.match(await read(sent.id), { status: 'delivered' })
  t.same(await suppressed(sent.to), [])
  t.equal(await contactStatus(db, org.id, sent.to), 'confirmed')
  t.match(
    (await noted()).slice(0, none.length),
    none.map(() => 'feedback'),
  )
})

t.test('mail to the unsubscribe mailbox of a message unsubscribes its recipient, whatever it says', async (t) => {
  const sent = await message()
  await addContact(db, org.id, sent.to)
  t.match(await send(t, port, 'reader@elsewhere.example', sent.unsubscribe, 'Subject: unsubscribe\n\n'), /^250 /)
  t.equal(await contactStatus(db, org.id, sent.to), 'unsubscribed')
  t.match(await send(t, port, sent.to, sent.unsubscribe, ''), /^250 /, 'twice')
  t.match(await read(sent.id), { status: 'delivered' })
  t.same(await suppressed(sent.to), [], 'what is no marketing still comes')
  t.same(await noted(sent.id), ['unsubscribe', 'unsubscribe'])

  const nobody = await message()
  t.match(await send(t, port, nobody.to, nobody.unsubscribe, ''), /^250 /, 'of one who is no contact')
})

t.test('a From of any length is answered while requests are served, and complains of nothing', async (t) => {
  for (const letters of [60_000, 1_000_000]) {
    for (const from of ['a'.repeat(letters), 'a@'.repeat(letters / 2), `${'a'.repeat(letters)}@sender.example`]) {
      const sent = await message()
      const told: string[] = []
      const mail = feedback(mailbox('abuse'), arf('abuse', `From: ${from}\nMessage-ID: <${sent.messageId}>`))
      const answered = mail.then((reply) => told.push(reply.slice(0, 3)))
      told.push(String((await fetch(`${stack.url}/v1`)).status))
      await answered
      t.same(told.toSorted(), ['200', '250'])
      t.match(await read(sent.id), { status: 'delivered' })
    }
  }
})

t.test('MIME that is made to be costly is answered', async (t) => {
  const parts = `Content-Type: multipart/report; report-type=feedback-report; boundary=x\n\n`
  const costly: [name: string, text: string][] = [
    ['parts in parts', `${parts}${'--x\nContent-Type: multipart/mixed; boundary=x\n\n'.repeat(20_000)}`],
    ['blocks of fields', `${parts}--x\nContent-Type: message/delivery-status\n\n${'a:b\n\n'.repeat(200_000)}`],
    [
      'a field that goes on',
      `${parts}--x\nContent-Type: message/feedback-report\n\na: b\n${` ${'x'.repeat(900)}\n`.repeat(1_000)}`,
    ],
    [
      'parameters',
      `Content-Type: text/plain; ${Array.from({ length: 9_000 }, (_, i) => `a*${i}*=utf-8''%41`).join('; ')}\n\n`,
    ],
  ]
  for (const [name, text] of costly) t.match(await feedback(mailbox('complaints'), text), /^(250|554) /, name)
})
