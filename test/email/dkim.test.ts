import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type ParsedMail, simpleParser } from 'mailparser'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import type { Content } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import type { Body, Letter } from '#tasks/email/engine.ts'
import { createLetterRequest, type Installation } from '#tasks/email/rules/delivery/letters.ts'
import type { Sender } from '#tasks/email/rules/delivery/senders.ts'
import { buildBody } from '../../workers/mail/letter/body.ts'
import { compose as composeLetter } from '../../workers/mail/letter/letter.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')
const base64 = (bytes: Buffer) => bytes.toString('base64')
const records: Record<string, string> = {
  'rsa._domainkey.sender.example': `v=DKIM1; k=rsa; p=${base64(rsa.publicKey.export({ type: 'spki', format: 'der' }))}`,
  'ed._domainkey.sender.example': `v=DKIM1; k=ed25519; p=${base64(ed.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32))}`,
}
const sender = {
  domain: 'sender.example',
  returnPath: 'bounce.sender.example',
  keys: [
    { selector: 'rsa', algorithm: 'rsa-sha256' as const, key: rsa.privateKey },
    { selector: 'ed', algorithm: 'ed25519-sha256' as const, key: ed.privateKey },
  ],
}
const installation = { hostname: 'mail.platform.example', origin: 'https://platform.example', secret: 'of the tests' }

const compose = async (message: Message, content: Content, body: Body, from: Sender, here: Installation) =>
  await composeLetter(createLetterRequest(message, content, from, here), body)

async function letterOf(given: Partial<Message> & Partial<Content>): Promise<Letter> {
  const id = newId()
  const content = { html: null, text: null, reply_to: null, headers: {}, attachments: [], ...given } as Content
  const message = {
    id,
    org_id: newId(),
    stream: 'transactional',
    from_email: 'hello@sender.example',
    from_name: null,
    to_email: 'ada@rcpt.example',
    subject: 'A subject',
    message_id: `${id}@sender.example`,
    campaign_id: null,
    created_at: new Date(),
    ...given,
  } as Message
  return await compose(message, content, await buildBody(content), sender, installation)
}

const long = 'Zeile mit Umlauten äöü und sehr viel Text '.repeat(60)
const kinds: Record<string, Parameters<typeof letterOf>[0]> = {
  'plain text': { text: 'A text.\n' },
  'no text at all': { text: '' },
  'blank lines and white space at its end': { text: 'a  b\t \t\n \n\n\n   \n\n' },
  'bare line feeds and carriage returns': { text: 'a\nb\rc\r\nd', html: '<p>a</p>\n<p>b</p>\r\n<p>c</p>\r' },
  'lines that begin with dots': { text: '.\n..\n.a\n' },
  'long lines of UTF-8': { html: `<p>${long}</p>`, subject: long.slice(0, 300), from_name: 'Frau Äußerst, „Genau“' },
  'HTML alone': { html: '<h1>Hello</h1>  <p>you &amp; me</p>' },
  'an attachment and a picture': {
    text: 'see',
    html: '<img src="cid:logo">',
    attachments: [
      { filename: 'ü.pdf', content_type: 'application/pdf', content: 'JVBERi0=' },
      { filename: 'logo.png', content_type: 'image/png', content: 'iVBORw0KGgo=', content_id: 'logo' },
    ],
  },
  'one-click unsubscription': {
    text: 'news',
    stream: 'subscribed',
    campaign_id: newId(),
    reply_to: 're@sender.example',
  },
  'fields of its own': { text: 'a', headers: { 'X-Order': '42', 'X-Long': 'word '.repeat(80) } },
}

const verifier = `
import sys, json, dkim
records = json.load(open(sys.argv[1]))
def txt(name, timeout=5):
    return records.get(name.decode().rstrip('.'), '').encode() or None
out = {}
for path in sys.argv[2:]:
    mail = open(path, 'rb').read()
    out[path] = [dkim.DKIM(mail).verify(idx=i, dnsfunc=txt) for i in (0, 1)]
print(json.dumps(out))
`

t.test('both signatures of every kind of message hold for dkimpy and for mailauth', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-dkim-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'records.json'), JSON.stringify(records))
  const paths: Record<string, string> = {}
  for (const [i, [name, given]] of Object.entries(kinds).entries()) {
    const { bytes } = await letterOf(given)
    paths[name] = join(folder, `${i}.eml`)
    await writeFile(paths[name], bytes)
    t.notMatch(bytes.toString('latin1'), /[^\r]\n|\r(?!\n)/, `${name}: every line ends with CRLF`)
    const { results } = await dkimVerify(bytes, {
      resolver: async (name: string) => [[records[name] ?? '']],
    } as never)
    t.same(
      results.map(({ status }) => status.result),
      ['pass', 'pass'],
      `${name}: for mailauth`,
    )
  }
  for (const [name, given] of Object.entries(kinds)) {
    const parsed = await simpleParser((await letterOf(given)).bytes)
    const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
    if (given.text) t.equal(plain(parsed.text ?? ''), plain(given.text), `${name}: its text arrives`)
    if (given.html && !given.attachments)
      t.equal(plain(String(parsed.html)), plain(given.html), `${name}: its HTML arrives`)
    t.equal(parsed.attachments.length, given.attachments?.length ?? 0, `${name}: its attachments arrive`)
  }
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [
    '-c',
    verifier,
    join(folder, 'records.json'),
    ...Object.values(paths),
  ])
  const found = JSON.parse(stdout)
  for (const [name, path] of Object.entries(paths)) t.same(found[path], [true, true], `${name}: for dkimpy`)
})

t.test('what a receiver could be misled with is signed, or signed as absent', async (t) => {
  const { bytes } = await letterOf({ ...kinds['one-click unsubscription'] })
  const mail = bytes.toString('latin1')
  const covered = /h=([^;]+);/.exec(mail)?.[1]?.replace(/\s/g, '').split(':') ?? []
  for (const name of [
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'To',
    'Date',
    'Message-ID',
    'Reply-To',
    'Content-Type',
  ])
    t.ok(covered.includes(name), name)
  t.equal(covered.filter((name) => name === 'From').length, 2, 'a second From breaks the signature')
  t.equal(covered.filter((name) => name === 'Subject').length, 2)
  t.notMatch(mail, /\bl=\d/)
  const forged = Buffer.from(mail.replace(/^(DKIM-Signature)/, 'Subject: another one\r\n$1'), 'latin1')
  const { results } = await dkimVerify(forged, { resolver: async (name: string) => [[records[name] ?? '']] } as never)
  t.notOk(results.some(({ status }) => status.result === 'pass'))
  t.match(
    mail,
    /\r\nList-Unsubscribe: <https:\/\/platform\.example\/send\/v1\/unsubscribe\/[^>\s]+>,\s+<mailto:u\+[a-z2-7]{26}\.[a-z2-7]{8}@bounce\.sender\.example\?subject=unsubscribe>\r\n/,
  )
  t.match(mail, /\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n/)
  const other = await letterOf({ text: 'code: 1', stream: 'security' })
  t.notMatch(other.bytes.toString(), /List-/, 'nobody unsubscribes from security mail')
})

t.test('no field, address or name can add a field, a recipient or a body', async (t) => {
  const evil = 'x\r\nBcc: evil@x.example\r\n\r\nbody\u2028\u0000'
  const parsed = async (given: Parameters<typeof letterOf>[0]): Promise<{ mail: ParsedMail; letter: Letter }> => {
    const letter = await letterOf({ text: 'own text', ...given })
    return { letter, mail: await simpleParser(letter.bytes) }
  }
  for (const given of [
    { subject: evil },
    { from_name: evil },
    { from_name: '"a" <b@c.example>, d' },
    { headers: { 'X-A': evil } },
    {
      headers: {
        'X-A\r\nBcc': 'evil@x.example',
        Bcc: 'evil@x.example',
        To: 'evil@x.example',
        'Content-Type': 'text/html',
      },
    },
    {
      headers: {
        From: 'evil@x.example',
        'DKIM-Signature': 'v=1',
        'List-Unsubscribe': '<https://evil.example>',
        Sender: 'e@x.example',
      },
    },
    { attachments: [{ filename: evil, content_type: 'text/plain', content: 'YQ==' }] },
  ]) {
    const { mail, letter } = await parsed(given)
    const name = Object.keys(given).join()
    t.equal(mail.text?.trim(), 'own text', name)
    t.equal(mail.headers.get('bcc'), undefined, name)
    t.equal(mail.headers.get('sender'), undefined, name)
    t.equal(mail.headers.get('list'), undefined, name)
    t.same(
      mail.from?.value.map(({ address }) => address),
      ['hello@sender.example'],
      name,
    )
    t.same(
      [mail.to].flat()[0]?.value.map(({ address }) => address),
      ['ada@rcpt.example'],
      name,
    )
    t.equal(letter.to, 'ada@rcpt.example')
    t.match(letter.from, /^b\+[a-z2-7]{26}\.[a-z2-7]{8}@bounce\.sender\.example$/)
  }
})

t.test('a message without a key is not made', async (t) => {
  const content = { html: null, text: 'a', headers: {}, attachments: [], reply_to: null } as unknown as Content
  const body = await buildBody(content)
  await t.rejects(compose({} as Message, content, body, { ...sender, keys: [] }, installation), {
    name: 'UnsignableError',
  })
})
