import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'
import t from 'tap'
import { submitting } from './submitting.ts'

t.setTimeout(240_000)
const { shop, implicit } = await submitting(t)
const plain = (password: string) => Buffer.from(`\0millrace\0${password}`).toString('base64')
const signIn = `AUTH PLAIN ${plain(shop.key)}`
const from = `MAIL FROM:<orders@${shop.domain}>`
const to = 'RCPT TO:<ann@rcpt.example>'

/** A TLS session that says lines and hears the reply to each, within ten seconds. */
async function session(localAddress = '127.0.0.1') {
  const socket = connect({
    socket: connectTcp({ port: implicit, host: '127.0.0.1', localAddress }),
    rejectUnauthorized: false,
  })
  socket.on('error', () => {})
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const hear = async (): Promise<string> => {
    const late = AbortSignal.timeout(10_000)
    let reply = ''
    for (;;) {
      const { value, done } = await Promise.race([
        lines.next(),
        once(late, 'abort').then(() => ({ value: 'no reply in time', done: true })),
      ])
      if (done) return reply || value || 'closed'
      reply += `${value}\n`
      if (/^\d{3} /.test(value)) return reply.trimEnd()
    }
  }
  await hear()
  return {
    socket,
    hear,
    async say(line: string | Buffer) {
      socket.write(typeof line === 'string' ? `${line}\r\n` : line)
      return await hear()
    },
  }
}

/** Says all lines; returns the last reply. */
async function last(lines: readonly (string | Buffer)[], localAddress?: string): Promise<string> {
  const { say, socket } = await session(localAddress)
  try {
    let reply = await say('EHLO client.example')
    for (const line of lines) reply = await say(line)
    return reply
  } finally {
    socket.destroy()
  }
}

const beforeSignIn: Record<string, [lines: (string | Buffer)[], reply: RegExp]> = {
  'a greeting without a name': [['EHLO'], /^501/],
  'a greeting with spaces': [['EHLO a b c'], /^(250|501)/],
  'a sender without a sign-in': [[from], /^530/],
  'a recipient without a sign-in': [[to], /^(530|503)/],
  'content without a sign-in': [['DATA'], /^(530|503)/],
  'a sign-in without a method': [['AUTH'], /^50[14]/],
  'a method that is not offered': [['AUTH XOAUTH2 eA=='], /^504/],
  'CRAM-MD5, which would need the key in clear': [['AUTH CRAM-MD5'], /^504/],
  'a sign-in that is not base64': [['AUTH PLAIN ***'], /^(501|535|500)/],
  'a sign-in without its parts': [[`AUTH PLAIN ${Buffer.from('x').toString('base64')}`], /^(500|501|535)/],
  'an empty password': [[`AUTH PLAIN ${plain('')}`], /^535/],
  'a password with line breaks and a header': [
    [`AUTH PLAIN ${plain('snd_live_x\r\nx-forwarded-for: 1.2.3.4')}`],
    /^535/,
  ],
  'a password beyond ASCII': [[`AUTH PLAIN ${plain('snd_live_ключ')}`], /^535/],
  'a password with NUL': [[`AUTH PLAIN ${Buffer.from('\0a\0b\0c').toString('base64')}`], /^(500|501|535)/],
  'a password of 8,000 characters': [[`AUTH PLAIN ${plain('x'.repeat(8_000))}`], /^(500|501|535)/],
  'a cancelled sign-in': [['AUTH LOGIN', '*'], /^501/],
  'STARTTLS within TLS': [['STARTTLS'], /^50[0-4]/],
  'a proxy’s command': [['XCLIENT ADDR=1.2.3.4'], /^5/],
  'a command that does not exist': [['FROBNICATE'], /^500/],
  'a request of HTTP': [['GET / HTTP/1.1'], /^(500|421|closed)/],
  'bytes that are no text': [[Buffer.from([0xff, 0xfe, 0, 1, 2, 0x0d, 0x0a])], /^500/],
  'a line of 100,000 characters': [['NOOP '.padEnd(100_000, 'x')], /^(250|500|501|421|closed)/],
}

t.test('before the sign-in, each bad line has a reply', async (t) => {
  let n = 0
  // From another network each time, because failed sign-ins close a network out.
  for (const [what, [lines, reply]] of Object.entries(beforeSignIn)) {
    t.match(await last(lines, `127.0.${30 + n++}.1`), reply, what)
  }
})

const envelopes: Record<string, [lines: string[], reply: RegExp]> = {
  'a sender without brackets': [['MAIL FROM:orders@x.example'], /^501/],
  'a sender that is no address': [['MAIL FROM:<a@@b>'], /^(501|553)/],
  'a second sender': [[from, from], /^503/],
  'a second sign-in': [[signIn], /^503/],
  'a size that is no number': [[`${from} SIZE=abc`], /^(250|501)/],
  'a size above the limit': [[`${from} SIZE=999999999`], /^552/],
  'an unknown parameter': [[`${from} FUTURERELEASE=1`], /^(250|501|555)/],
  'UTF-8 in the address': [[`${from} SMTPUTF8`], /^(250|504|555|501)/],
  'a recipient before the sender': [[to], /^503/],
  'no recipient': [[from, 'RCPT TO:<>'], /^501/],
  'a recipient that is no address': [[from, 'RCPT TO:<@>'], /^(501|553)/],
  'a recipient with a space': [[from, 'RCPT TO:<a b@rcpt.example>'], /^(501|553|555)/],
  'content before a recipient': [[from, 'DATA'], /^(503|554)/],
  'a binary transfer': [[from, to, 'BDAT 5 LAST'], /^50/],
}

t.test('each bad envelope has a reply', async (t) => {
  for (const [what, [lines, reply]] of Object.entries(envelopes)) t.match(await last([signIn, ...lines]), reply, what)
  const many = Array.from({ length: 51 }, (_, n) => `RCPT TO:<r${n}@rcpt.example>`)
  t.match(await last([signIn, from, ...many]), /^452/, '51 recipients')
})

const head = `From: orders@${shop.domain}\r\nTo: ann@rcpt.example\r\nSubject: Hi\r\n`
const nested = (depth: number): string =>
  depth === 0
    ? 'Content-Type: text/plain\r\n\r\nx\r\n'
    : `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${nested(depth - 1)}\r\n--b${depth}--\r\n`

/** Contents, and the reply. What the API rejects names its field. */
const contents: Record<string, [content: string, reply: RegExp]> = {
  nothing: ['', /^550 .*body\.subject/],
  'a body without a header': ['\r\nHello', /^550 .*body\.subject/],
  'a header without a body': [head, /^550 .*body\.text/],
  'a From of two organisations': [`${head.replace('From: ', 'From: ceo@bank.example, ')}\r\nx`, /^550 .*bank\.example/],
  'a From that is not ours, in an envelope that is': [
    `${head.replace(shop.domain, 'bank.example')}\r\nx`,
    /^550 .*bank\.example/,
  ],
  'a From without an address': [`${head.replace(`orders@${shop.domain}`, 'Shop')}\r\nx`, /^(250|550)/],
  'a group as From': [`${head.replace(`orders@${shop.domain}`, 'Shop: a@bank.example;')}\r\nx`, /^550 .*bank\.example/],
  'a subject with an encoded line break': [
    `${head.replace('Hi', '=?utf-8?q?a=0D=0ABcc:_e@x.example?=')}\r\nx`,
    /^(250|550 .*body\.subject)/,
  ],
  'a subject of 2,000 characters': [`${head.replace('Hi', 'x'.repeat(2_000))}\r\nx`, /^550 .*body\.subject/],
  'a charset that does not exist': [`${head}Content-Type: text/plain; charset=klingon\r\n\r\nx`, /^(250|554)/],
  'NUL in the text': [`${head}\r\na\0b`, /^(250|550 .*body\.text)/],
  'control characters in the text': [`${head}\r\na\x01\x02b`, /^550 .*body\.text/],
  'a text of 2 MiB': [`${head}\r\n${`${'x'.repeat(70)}\r\n`.repeat(30_000)}`, /^550 .*body\.text/],
  'base64 that is none': [
    `${head}Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n%%%%`,
    /^(250|550)/,
  ],
  'a multipart without its boundary': [
    `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\nx`,
    /^550 .*body\.text/,
  ],
  'parts in parts, 400 deep': [`${head}${nested(400)}`, /^(250|550|554)/],
  '2,000 parts': [
    `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(2_000)}--b--`,
    /^(550|554)/,
  ],
  'a header of a megabyte': [`${head}X-Big: ${'x'.repeat(1024 * 1024)}\r\n\r\nx`, /^(550|554)/],
  '20,000 headers': [`${head}${'X-A: b\r\n'.repeat(20_000)}\r\nx`, /^(250|550|554)/],
  '21 files': [
    `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n${'--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n'.repeat(21)}--b--`,
    /^550 .*body\.attachments/,
  ],
  'a file whose name is a path': [
    `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Disposition: attachment; filename="../../etc/passwd"\r\n\r\nx\r\n--b--`,
    /^250/,
  ],
  'a stream that is none': [`${head}X-Stream: news\r\n\r\nx`, /^550 .*body\.stream/],
  'eleven tags': [
    `${head}${Array.from({ length: 11 }, (_, n) => `X-Tag: t${n}\r\n`).join('')}\r\nx`,
    /^550 .*body\.tags/,
  ],
  'a tag twice': [`${head}X-Tag: a:1\r\nX-Tag: a:2\r\n\r\nx`, /^550 .*body\.tags/],
  'metadata that is no object': [`${head}X-Metadata: [1]\r\n\r\nx`, /^(250|550 .*body\.metadata)/],
  'metadata above 4 KiB': [`${head}X-Metadata-A: ${'x'.repeat(5_000)}\r\n\r\nx`, /^550 .*body\.metadata/],
  'a time that is none': [`${head}X-Send-At: noon\r\n\r\nx`, /^550 .*body\.send_at/],
  'a time in two months': [
    `${head}X-Send-At: ${new Date(Date.now() + 60 * 86_400_000).toISOString()}\r\n\r\nx`,
    /^550 .*body\.send_at/,
  ],
  'an idempotency key of 300 characters': [
    `${head}X-Idempotency-Key: ${'k'.repeat(300)}\r\n\r\nx`,
    /^550 .*idempotency/,
  ],
  'an idempotency key beyond ASCII': [`${head}X-Idempotency-Key: ключ\r\n\r\nx`, /^(250|550)/],
  'a reply address that is none': [`${head}Reply-To: nobody@\r\n\r\nx`, /^(250|550 .*body\.reply_to)/],
}

t.test('each bad content has a reply that names the field, on one connection', async (t) => {
  const { say, socket } = await session()
  await say('EHLO client.example')
  t.match(await say(signIn), /^235/)
  for (const [what, [content, reply]] of Object.entries(contents)) {
    t.match(await say(from), /^250/, what)
    await say(to)
    await say('DATA')
    t.match(await say(`${content}\r\n.`), reply, what)
  }
  socket.destroy()
})

t.test('no end of a message within a line can smuggle in a second one', async (t) => {
  for (const end of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\r.\r\n']) {
    const { say, hear, socket } = await session()
    await say('EHLO client.example')
    await say(signIn)
    await say(from)
    await say(to)
    await say('DATA')
    socket.write(`${head}\r\nfirst${end}${from}\r\n${to}\r\nDATA\r\n${head}\r\nsecond\r\n.\r\n`)
    t.match(await hear(), /^(250|5)/, JSON.stringify(end))
    t.match(await say('NOOP'), /^250 (?!Accepted as)/, 'there was one message')
    socket.destroy()
  }
})

t.test('a connection that ends anywhere leaves the port as it was', async (t) => {
  for (const lines of [[], [signIn], [signIn, from], [signIn, from, to], [signIn, from, to, 'DATA']]) {
    const { say, socket } = await session()
    await say('EHLO client.example')
    for (const line of lines) await say(line)
    socket.write('half a li')
    socket.destroy()
  }
  t.match(await last([signIn, from, to, 'DATA', `${head}\r\nx\r\n.`]), /^250 Accepted/)
})
