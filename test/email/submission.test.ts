import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import nodemailer from 'nodemailer'
import t from 'tap'
import { listenSubmission } from '../../ingress/email/submission/listener.ts'
import { testOrg } from '../support/ingress.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { until } from '../support/until.ts'
import { sending } from './sending.ts'
import { dial } from './smtp-client.ts'

const { ingress, sender } = await sending(t, ['account'])
const { caFile, key: keyText } = await makeCertificate(t)
const keyFile = `${caFile}.key`
await writeFile(keyFile, keyText)
const place = { host: '127.0.0.1', port: 0, variable: 'MAIL_SUBMISSION_PORT', files: { cert: caFile, key: keyFile } }
const starttls = await listenSubmission(ingress.app, { ...place, isImplicit: false })
const implicit = await listenSubmission(ingress.app, { ...place, isImplicit: true })
t.teardown(async () => void (await Promise.all([starttls.close(0), implicit.close(0)])))
const shop = await sender()
const { key } = shop

const transport = (pass: string, port = starttls.port, more: object = {}) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    secure: port === implicit.port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'anything', pass },
    ...more,
  })

const simple = {
  from: `Shop <orders@${shop.domain}>`,
  to: 'ann@rcpt.example',
  subject: 'Your order',
  text: 'On its way.',
}
const idIn = (response: string) => /^250 Accepted as ([0-9a-f-]{36})$/.exec(response)?.[1] as string
const read = async (id: string) => (await shop.ask(`GET /send/v1/messages/${id}`)).body

/** Sends a message that is refused. Returns the code and the reply. */
async function refused(mail: object, pass = key): Promise<{ responseCode: number; response: string }> {
  return await transport(pass)
    .sendMail({ ...simple, ...mail })
    .then(
      ({ response }) => ({ responseCode: 250, response }),
      (error) => error,
    )
}

t.test('a message by STARTTLS or TLS becomes a message of the API, with its copies, files and options', async (t) => {
  for (const port of [starttls.port, implicit.port]) {
    const { response } = await transport(key, port).sendMail({
      ...simple,
      to: ['Ann <ann@rcpt.example>', 'bob@rcpt.example'],
      cc: 'cid@rcpt.example',
      bcc: 'dan@rcpt.example',
      replyTo: 'help@shop.example',
      html: '<p>On its way. <img src="cid:logo@shop.example"></p>',
      attachments: [
        { filename: 'bill.pdf', content: Buffer.from('%PDF-1.4'), contentType: 'application/pdf' },
        { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo@shop.example', contentType: 'image/png' },
      ],
      headers: { 'X-Tag': ['kind:order', 'first'], 'X-Metadata': '{"order":1042}', 'X-Own': 'kept' },
    })
    const message = await read(idIn(response))
    t.match(message, {
      to: 'ann@rcpt.example',
      stream: 'transactional',
      subject: 'Your order',
      tags: [
        { name: 'kind', value: 'order' },
        { name: 'first', value: 'true' },
      ],
      metadata: { order: 1042 },
    })
    t.strictSame(
      message.copies.map(({ recipient, to }: { recipient: string; to: string }) => [recipient, to]),
      [
        ['cc', 'bob@rcpt.example'],
        ['cc', 'cid@rcpt.example'],
        ['bcc', 'dan@rcpt.example'],
      ],
    )
  }
})

t.test('a message that is sent again, with its key or its Message-ID, is accepted once', async (t) => {
  const again = async (mail: object) => idIn((await transport(key).sendMail({ ...simple, ...mail })).response)
  const byKey = { headers: { 'X-Idempotency-Key': 'order-1' } }
  t.equal(await again(byKey), await again(byKey))
  const byId = { messageId: '<order-2@shop.example>' }
  t.equal(await again(byId), await again(byId))
  t.not(await again({}), await again({}))
})

t.test('a message opts out of tracking by its headers', async (t) => {
  const headers = { 'X-Track-Opens': 'FALSE', 'X-Track-Clicks': 'false' }
  const id = idIn((await transport(key).sendMail({ ...simple, headers })).response)
  const { body } = await shop.ask(`GET /send/v1/messages/${id}`)
  t.match(body, { track_opens: false, track_clicks: false })
})

t.test('what the API rejects, SMTP rejects with the same text', async (t) => {
  const tooBig = Buffer.alloc(8 * 1024 * 1024)
  const cases: [mail: object, code: number, text: RegExp][] = [
    [{ from: 'orders@unverified.example' }, 550, /verified/],
    [{ headers: { 'X-Stream': 'news' } }, 550, /body.stream/],
    [{ headers: { 'X-Tag': 'two words' } }, 550, /body.tags/],
    [{ headers: { 'X-Send-At': 'tomorrow' } }, 550, /body.send_at/],
    [{ headers: { 'X-Track-Opens': 'maybe' } }, 550, /body.track_opens/],
    [{ headers: { 'X-Metadata': `{"a":"${'x'.repeat(5000)}"}` } }, 550, /body.metadata/],
    [{ subject: '' }, 550, /body.subject/],
    [{ text: '' }, 550, /body.text/],
    [{ attachments: [{ filename: 'a.bin', content: tooBig }] }, 550, /body.attachments/],
    [{ headers: { 'X-Stream': 'subscribed' }, bcc: 'bob@rcpt.example' }, 550, /body.bcc/],
    [{ replyTo: 'nobody@' }, 550, /body.reply_to/],
    [{ attachments: [{ filename: 'a.bin', content: Buffer.alloc(16 * 1024 * 1024) }] }, 552, /size/],
  ]
  for (const [mail, code, text] of cases)
    t.match(await refused(mail), { responseCode: code, response: text }, String(text))
  const many = Array.from({ length: 51 }, (_, n) => `r${n}@rcpt.example`)
  const { accepted, rejected } = await transport(key).sendMail({ ...simple, to: many })
  t.strictSame([accepted.length, rejected.length], [50, 1])
})

t.test('a test key records messages as by HTTP, and a lock of the key holds', async (t) => {
  const { response } = await transport(shop.sandbox).sendMail(simple)
  t.match(idIn(response), /-/)
  t.match(await refused({}, shop.locked), { responseCode: 550, response: /can send from/ })
})

t.test('without TLS nobody can sign in, and without a sign-in nobody can send', async (t) => {
  const { client } = await dial(t, starttls.port)
  await client.say('EHLO client.example')
  t.match(await client.say('AUTH PLAIN AHRlc3QAdGVzdA=='), /^538/)
  t.match(await client.say('MAIL FROM:<a@b.example>'), /^530/)
})

t.test("Python's own client sends, too", async (t) => {
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [
    '-c',
    `import smtplib, ssl, sys
from email.message import EmailMessage
port, key, domain = int(sys.argv[1]), sys.argv[2], sys.argv[3]
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = f'orders@{domain}', 'ann@rcpt.example', 'Überraschung'
mail.set_content('Grüße')
with smtplib.SMTP('localhost', port) as smtp:
    context = ssl.create_default_context(cafile=sys.argv[4])
    smtp.starttls(context=context)
    smtp.login('anything', key)
    print(smtp.send_message(mail))`,
    String(starttls.port),
    key,
    shop.domain,
    caFile,
  ])
  t.equal(stdout.trim(), '{}')
})

t.test('the password must be a key that may send, and too many wrong ones close a network out', async (t) => {
  const { keys } = await testOrg(ingress.app.db, ['email:manage'])
  const withoutScope = await refused({}, keys.main)
  t.match(withoutScope, { responseCode: 535, response: /email:send/ })
  for (let n = 2; n <= 10; n++) t.equal((await refused({}, `snd_live_${'x'.repeat(n)}`)).responseCode, 535)
  t.match(await refused({}), { responseCode: 454, response: /failed sign-ins/ })
})

t.test('a connection that has ended leaves no timer', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const from = { localAddress: '127.0.7.1' }
  await Promise.all(Array.from({ length: 20 }, () => transport(key, starttls.port, from).sendMail(simple)))
  await until(() => timers() < before + 10, { what: 'few timers are left' })
  t.pass()
})

t.test('many good sign-ins at the same time are not taken for tries', async (t) => {
  const from = { localAddress: '127.0.8.1' }
  const sent = await Promise.all(
    Array.from({ length: 18 }, (_, n) =>
      transport(key, starttls.port, from).sendMail({ ...simple, messageId: `<many-${n}@shop.example>` }),
    ),
  )
  t.equal(new Set(sent.map(({ response }) => idIn(response))).size, 18)
})

t.test('wrong keys that are tried at the same time count, too', async (t) => {
  const from = { localAddress: '127.0.9.1' }
  const tried = await Promise.all(
    Array.from({ length: 15 }, (_, n) =>
      transport(`snd_live_${'y'.repeat(n + 3)}`, starttls.port, from)
        .sendMail(simple)
        .catch(({ responseCode }: { responseCode: number }) => responseCode),
    ),
  )
  t.equal(tried.filter((code) => code === 535).length, 10)
  t.equal(tried.filter((code) => code === 454).length, 5)
})
