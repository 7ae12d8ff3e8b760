import t from 'tap'
import {
  type IncomingMail,
  ReaderBusyError,
  type ReadMail,
  UnreadableError,
} from '#tasks/email/rules/received/reader.ts'
import { authenticate } from '../../workers/mail/received/authenticate.ts'
import { createMailReader } from '../../workers/mail/received/reader.ts'
import { sample } from '../support/sample.ts'

t.setTimeout(240_000)

/** No name server answers at it. */
const nobody = ['127.0.0.1:9']
const reader = createMailReader({ threads: 1, seconds: 5, megabytes: 128 }, nobody)
t.teardown(() => reader.close())
const { signal } = new AbortController()

const brought = (text: string): IncomingMail => ({
  fetch: async () => Buffer.from(text),
  sender: 'ada@people.example',
  remoteAddress: '192.0.2.1',
  helo: 'mx.people.example',
})

const from = 'From: ada@people.example\r\nSubject: Hi\r\n'
const html = 'Content-Type: text/html\r\n\r\n'
const part = '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'
const signature =
  'DKIM-Signature: v=1; a=rsa-sha256; d=people.example; s=s1; h=from; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n'

/** What strangers may send, and what is to come of it. */
const hostile: [what: string, text: string, check: (read: ReadMail | UnreadableError) => boolean][] = [
  ['elements within each other', `${from}${html}${'<div>'.repeat(150_000)}x`, isRead],
  ['tables within each other', `${from}${html}${'<table><tr><td>'.repeat(60_000)}x`, isRead],
  ['a tag without an end', `${from}${html}${'<a '.repeat(200_000)}`, isRead],
  ['parts within each other', `${from}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(3_000)}`, isAny],
  [
    'thousands of signatures',
    `${signature.repeat(2_000)}${from}\r\nx\r\n`,
    (read) => isRead(read) && signatures(read) <= 10,
  ],
  ['thousands of senders', `From: ${'a@b.example, '.repeat(20_000)}c@d.example\r\n\r\nx`, isAny],
  ['a header of a megabyte', `${from}X-Long: ${'x'.repeat(2 ** 20)}\r\n\r\nx`, isAny],
  ['a thousand references', `${from}References: ${'<a@b.example> '.repeat(20_000)}\r\n\r\nx`, isAny],
  [
    'a name of a file with all there is',
    `${from}Content-Disposition: attachment; filename*=utf-8''${'%00%2F'.repeat(5_000)}\r\n\r\nx`,
    isAny,
  ],
  ['an encoded word without end', `Subject: ${'=?utf-8?Q?'.repeat(50_000)}\r\n\r\nx`, isAny],
  ['blank lines', `${from}\r\n${'\r\n'.repeat(500_000)}`, isRead],
  ['nothing', '', isAny],
]

function isRead(read: ReadMail | UnreadableError): read is ReadMail {
  return !(read instanceof UnreadableError)
}

function isAny(): boolean {
  return true
}

const signatures = (read: ReadMail) => read.authentication?.dkim.length ?? 0

t.test('whatever a mail says, it is read or given up in time, and no other is in its way', async (t) => {
  for (const [what, text, check] of sample(hostile, 3, 1)) {
    const begun = performance.now()
    const read = await reader.read(brought(text), signal).catch((error) => {
      if (error instanceof UnreadableError) return error
      throw error
    })
    t.ok(check(read), `${what}: ${read instanceof UnreadableError ? read.message : 'read'}`)
    t.ok(performance.now() - begun < 25_000, what)
  }
  t.match(await reader.read(brought(`${from}\r\nStill here.\r\n`), signal), {
    text: 'Still here.\n',
    reply: 'Still here.',
  })
})

/** Replies in HTML, as programs write them: `Yes.` is what was written. */
const pages: [program: string, page: string][] = [
  [
    'Outlook on a desktop, fr',
    `<p>Yes.</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p><b>De&nbsp;:</b> Ann<br>
<b>Envoyé&nbsp;:</b> lundi 23 novembre 2026 10:00<br><b>À&nbsp;:</b> Bob<br><b>Objet&nbsp;:</b> x</p></div><p>Old</p>`,
  ],
  [
    'Outlook in a language that nobody knows',
    '<div>Yes.</div><div id="divRplyFwdMsg">Nani: Ann<br>Lini: 23</div><div>Old</div>',
  ],
  [
    'Gmail in a language that nobody knows',
    '<div>Yes.</div><div class="gmail_quote"><div class="gmail_attr">Ann, 23/11:</div><blockquote class="gmail_quote">Old</blockquote></div>',
  ],
  [
    'Apple Mail',
    '<div>Yes.</div><blockquote type="cite"><div>On 23 Nov 2026, at 10:00, Ann wrote:</div>Old</blockquote>',
  ],
  ['Apple Mail, the answer below', '<blockquote type="cite">Old</blockquote><div>Yes.</div>'],
  [
    'Thunderbird, the answer below',
    '<div class="moz-cite-prefix">Am 23.11.26 um 10:00 schrieb Ann:<br></div><blockquote type="cite"><p>Old</p></blockquote><p>Yes.</p>',
  ],
  ['a signature', '<p>Yes.</p><p>-- <br>Bob</p>'],
]

t.test('a reply in HTML is what its sender wrote; what is indented by hand stays', async (t) => {
  const answer = `${from}In-Reply-To: <a@b.example>\r\nContent-Type: text/html; charset=utf-8\r\n\r\n`
  for (const [program, page] of pages)
    t.match(await reader.read(brought(`${answer}${page}\r\n`), signal), { reply: 'Yes.' }, program)
  t.match(await reader.read(brought(`${answer}<p>One</p><blockquote>Two</blockquote><p>Three</p>\r\n`), signal), {
    reply: 'One\n\nTwo\n\nThree',
    text: 'One\n\nTwo\n\nThree',
  })
  t.match(await reader.read(brought(`${from}\r\n \r\n\r\n`), signal), { text: null, reply: null })
})

t.test('Japanese without a charset is read, and references in a list with commas', async (t) => {
  const [word, jis] = ['テスト', '\u001b$B%F%9%H\u001b(B']
  const header = `From: ${jis} <ada@people.example>\r\nSubject: ${jis} 1\r\n`
  const read = (text: string) => reader.read(brought(text), signal)
  t.match(await read(`${header}\r\n${jis} body\r\n`), {
    from_name: word,
    from_email: 'ada@people.example',
    subject: `${word} 1`,
    text: `${word} body\n`,
  })
  t.match(await read(`${header}Content-Type: text/html\r\n\r\n<p>${jis} body</p>\r\n`), {
    text: `${word} body`,
    html: `<p>${word} body</p>\n`,
  })
  t.match(await read(`${from}Content-Type: text/plain; charset=us-ascii\r\n\r\n${jis}\r\n`), { text: `${word}\n` })
  const mixed = await read(
    `${from}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${jis}\r\n--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\n${jis}\r\n--b--\r\n`,
  )
  t.match(mixed, { text: word })
  t.equal(
    Buffer.from(mixed.files[0]?.content ?? [])
      .toString('latin1')
      .trim(),
    jis,
    'a file stays as it is',
  )
  t.match(await read(`${from}Content-Type: text/plain; charset=utf-8\r\n\r\nÄ \u001b$B\r\n`), { text: 'Ä \u001b$B\n' })
  for (const list of [
    '<a@x.example>,<b@x.example>, <c@x.example>',
    '<a@x.example> <b@x.example>\r\n <c@x.example>',
    '<a@x.example>;<b@x.example>,\r\n\t<c@x.example>',
  ])
    t.same(
      (await read(`${from}References: ${list}\r\nIn-Reply-To: <c@x.example>,<b@x.example>\r\n\r\nx`)).answers,
      ['c@x.example', 'b@x.example', 'a@x.example'],
      list,
    )
  const empty = await read(
    `${from}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n--b--\r\n`,
  )
  t.match(empty.files, [{ filename: 'a.csv', content: { length: 0 } }])
})

t.test('no header and no signature makes the check of a sender cost the square of its length', async (t) => {
  const origin = {
    sender: 'ada@people.example',
    remoteAddress: '192.0.2.1',
    helo: 'h',
    mta: 'mx.example',
    servers: nobody,
  }
  /** What is found of each signature, or why nothing is, in milliseconds of the processor: others may have it meanwhile. */
  const checked = async (text: string) => {
    const begun = process.cpuUsage()
    const found = await authenticate(Buffer.from(text), origin).catch((error: Error) => error.message)
    const { user } = process.cpuUsage(begun)
    return { found: typeof found === 'string' ? found : found.dkim.length, ms: user / 1_000 }
  }
  const tooLong = 'The header is too long to be checked.'
  const costly: [what: string, text: string, found: number | string][] = [
    ['each signature has all of the body hashed', `${signature.repeat(400)}${from}\r\n${'a b\r\n'.repeat(50_000)}`, 10],
    ['a header in many lines', `X-Long: ${'\r\n '.repeat(80_000)}x\r\n${from}\r\nx`, tooLong],
    ['a line without end', `X-Long: ${' '.repeat(250_000)}x\r\n${from}\r\nx`, tooLong],
    ['a signature of blanks', `DKIM-Signature: v=1; x${' '.repeat(60_000)}x\r\n${signature}${from}\r\nx`, 1],
  ]
  for (const [what, text, expected] of costly) {
    const { found, ms } = await checked(text)
    t.equal(found, expected, what)
    t.ok(ms < 2_000, `${what}: ${Math.round(ms)} ms`)
  }
})

t.test('more mails than may wait are put off, and fetched by nobody', async (t) => {
  let fetched = 0
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const slow = {
    ...brought(''),
    async fetch() {
      fetched++
      await held
      return Buffer.from(`${from}\r\nx\r\n`)
    },
  }
  const first = Array.from({ length: 4 }, () => reader.read(slow, signal))
  await t.rejects(reader.read(slow, signal), ReaderBusyError)
  t.equal(fetched, 1)
  letGo()
  t.equal((await Promise.all(first)).length, 4)
})
