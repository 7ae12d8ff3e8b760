import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { message, sending } from './sending.ts'

const { db, sender } = await sending(t)
const one = await sender()
const file = (more = {}) => ({ filename: 'a.txt', content: 'YQ==', ...more })
const headers = (name: string, value: unknown = 'x') => ({ headers: { [name]: value } })
const inTo = (to: unknown): [object, string] => [{ to }, 'body.to']

/** Bodies that are refused, each laid over a good one, and the field that is named. */
const refused: Record<string, [object, string]> = {
  'two recipients in one, by a comma': inTo('b@y.example, evil@x.example'),
  'a recipient with a line break and a header': inTo('b@rcpt.example\r\nBcc: evil@x.example'),
  'a recipient with a bare LF': inTo('b@rcpt.example\nBcc: evil@x.example'),
  'a recipient with an SMTP command': inTo('b@rcpt.example>\r\nRCPT TO:<evil@x.example'),
  'a recipient in brackets': inTo('<b@rcpt.example>'),
  'a recipient with a name': inTo('Bob <b@rcpt.example>'),
  'a quoted local part': inTo('"b@y.example, evil"@x.example'),
  'a local part with a space': inTo('a b@rcpt.example'),
  'a local part with a semicolon': inTo('a;b@rcpt.example'),
  'a local part with a comment': inTo('a(b)@rcpt.example'),
  'a local part in brackets': inTo('a[b]@rcpt.example'),
  'a local part with a backslash': inTo('a\\b@rcpt.example'),
  'a local part that ends in a dot': inTo('a.@rcpt.example'),
  'a local part with two dots': inTo('a..b@rcpt.example'),
  'a local part beyond ASCII': inTo('jürgen@rcpt.example'),
  'a local part of 65 characters': inTo(`${'a'.repeat(65)}@rcpt.example`),
  'an address of 255 characters': inTo(`a@${'b'.repeat(60)}.${'c.'.repeat(95)}example`),
  'an address without a domain': inTo('ann@'),
  'an address without a local part': inTo('@rcpt.example'),
  'an address literal': inTo('ann@[127.0.0.1]'),
  'a numeric domain': inTo('ann@127.0.0.1'),
  'a domain of one label': inTo('ann@localhost'),
  'a domain with a space': inTo('ann@rcpt.example '),
  'a domain with a slash': inTo('ann@rcpt.example/x'),
  'a domain with a percent sign': inTo('ann@rcpt%2eexample'),
  'a domain with a tab': inTo('ann@rcpt\t.example'),
  'a recipient that is a list': inTo(['a@b.example']),
  'a recipient that is an object': inTo({ address: 'a@b.example' }),
  'no recipient': inTo(undefined),
  'an empty recipient': inTo(''),
  'no stream': [{ stream: undefined }, 'body.stream'],
  'a stream that is none': [{ stream: 'marketing' }, 'body.stream'],
  'a sender that is text': [{ from: 'orders@sender1.example' }, 'body.from'],
  'no sender': [{ from: undefined }, 'body.from'],
  'a sender with a line break': [{ from: { email: 'a@sender1.example\r\nBcc: e@x.example' } }, 'body.from.email'],
  'a sender’s name with a line break': [
    { from: { email: 'a@sender1.example', name: 'A\r\nBcc: e@x.example' } },
    'body.from.name',
  ],
  'a sender’s name of 201 characters': [
    { from: { email: 'a@sender1.example', name: 'a'.repeat(201) } },
    'body.from.name',
  ],
  'a further field of the sender': [{ from: { email: 'a@sender1.example', address: 'x' } }, 'body.from.address'],
  'a reply address with a comma': [{ reply_to: 'a@b.example,c@d.example' }, 'body.reply_to'],
  'a subject with CRLF': [{ subject: 'Hi\r\nBcc: evil@x.example' }, 'body.subject'],
  'a subject with a bare CR': [{ subject: 'Hi\rBcc: evil@x.example' }, 'body.subject'],
  'a subject with a line separator': [{ subject: 'Hi\u2028there' }, 'body.subject'],
  'a subject with DEL': [{ subject: 'Hi\u007f' }, 'body.subject'],
  'a subject with NEL': [{ subject: 'Hi\u0085there' }, 'body.subject'],
  'an empty subject': [{ subject: '' }, 'body.subject'],
  'a subject of 999 characters': [{ subject: 'x'.repeat(999) }, 'body.subject'],
  'no subject': [{ subject: undefined }, 'body.subject'],
  'neither text nor html': [{ text: undefined }, 'body.text'],
  'an empty text': [{ text: '' }, 'body.text'],
  'text with a control character': [{ text: 'a\u0008b' }, 'body.text'],
  'html with NUL': [{ html: 'a\u0000b' }, 'body.html'],
  'html with a lone surrogate': [{ html: 'a\ud800b' }, 'body.html'],
  'text that is a number': [{ text: 7 }, 'body.text'],
  'html above its size': [{ html: 'x'.repeat(1024 * 1024 + 1) }, 'body.html'],
  'a header value with CRLF': [headers('X-A', 'a\r\nBcc: e@x.example'), 'body.headers.X-A'],
  'a header value that is prepared': [headers('X-A', { prepared: true, value: 'a\r\nB: c' }), 'body.headers.X-A'],
  'a header value that is a list': [headers('X-A', ['a', 'b']), 'body.headers.X-A'],
  'a header name with a colon': [headers('X-A: b\r\nBcc'), 'body.headers.X-A: b\r\nBcc'],
  'a header name with a space': [headers('X A'), 'body.headers.X A'],
  'an empty header name': [headers(''), 'body.headers.'],
  'a header twice in two cases': [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'body.headers.x-a'],
  'too many headers': [
    { headers: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`X-${n}`, ''])) },
    'body.headers',
  ],
  'headers as a list': [{ headers: [{ key: 'X-A', value: '1' }] }, 'body.headers'],
  'variables without a template': [{ variables: {} }, 'body.variables'],
  'a template that is no id': [{ template_id: '../1' }, 'body.template_id'],
  'an empty idempotency key': [{ idempotency_key: '' }, 'body.idempotency_key'],
  'an idempotency key with a line break': [{ idempotency_key: 'a\nb' }, 'body.idempotency_key'],
  'an idempotency key of 256 characters': [{ idempotency_key: 'a'.repeat(256) }, 'body.idempotency_key'],
  'a field of nodemailer': [{ raw: 'From: x' }, 'body.raw'],
  'an envelope': [{ envelope: { from: 'a@b.example', to: ['c@d.example'] } }, 'body.envelope'],
  'a blind copy': [{ bcc: 'e@x.example' }, 'body.bcc'],
  'an attachment by path': [{ attachments: [file({ path: '/etc/passwd' })] }, 'body.attachments.0.path'],
  'an attachment by link': [{ attachments: [file({ href: 'http://127.0.0.1/' })] }, 'body.attachments.0.href'],
  'an attachment without content': [{ attachments: [{ filename: 'a' }] }, 'body.attachments.0.content'],
  'an attachment that is not base64': [{ attachments: [file({ content: 'a b=' })] }, 'body.attachments.0.content'],
  'base64 without its padding': [{ attachments: [file({ content: 'YQ' })] }, 'body.attachments.0.content'],
  'base64 of the URL alphabet': [{ attachments: [file({ content: '_-__' })] }, 'body.attachments.0.content'],
  'a file name with a folder': [{ attachments: [file({ filename: '../a' })] }, 'body.attachments.0.filename'],
  'a file name with CRLF': [{ attachments: [file({ filename: 'a\r\nX: y' })] }, 'body.attachments.0.filename'],
  'a file name that is empty': [{ attachments: [file({ filename: '' })] }, 'body.attachments.0.filename'],
  'a type with a parameter that is none': [
    { attachments: [file({ content_type: 'text/plain; name' })] },
    'body.attachments.0.content_type',
  ],
  'a type with a parameter in two lines': [
    { attachments: [file({ content_type: 'text/plain; name="a\r\nX: y"' })] },
    'body.attachments.0.content_type',
  ],
  'a type with CRLF': [
    { attachments: [file({ content_type: 'text/plain\r\nX: y' })] },
    'body.attachments.0.content_type',
  ],
  'a type of many parts': [
    { attachments: [file({ content_type: 'multipart/mixed' })] },
    'body.attachments.0.content_type',
  ],
  'a content id in brackets': [{ attachments: [file({ content_id: '<a@b>' })] }, 'body.attachments.0.content_id'],
  'a content id twice': [{ attachments: [file({ content_id: 'a' }), file({ content_id: 'a' })] }, 'body.attachments'],
  'too many attachments': [{ attachments: Array.from({ length: 21 }, () => file()) }, 'body.attachments'],
  'attachments above their size': [
    { attachments: Array.from({ length: 2 }, () => file({ content: 'AAAA'.repeat(1_300_000) })) },
    'body.attachments',
  ],
}

for (const name of [
  ...['From', 'to', 'CC', 'Bcc', 'Sender', 'Reply-To', 'Date', 'Subject', 'Message-ID', 'MIME-Version', 'Content-Type'],
  ...['DKIM-Signature', 'ARC-Seal', 'Received', 'Return-Path', 'Authentication-Results', 'List-Unsubscribe'],
  ...['list-unsubscribe-post', 'Feedback-ID', 'Resent-To', 'Content-Transfer-Encoding'],
]) {
  refused[`the header ${name}`] = [headers(name), `body.headers.${name}`]
}

t.test('each bad message is refused with the field that is at fault, and nothing of it is kept', async (t) => {
  t.ok(Object.keys(refused).length > 90)
  for (const [what, [bad, field]] of Object.entries(refused)) {
    const answer = await one.send(bad as Record<string, unknown>)
    t.equal(answer.status, 400, what)
    if (answer.status === 400) t.same(fieldsOf(answer), [field], what)
  }
  const kept = sql.type(z.object({ count: z.number() }))`
    select (select count(*) from email.messages) + (select count(*) from email.contents) as count`
  t.equal(await db.oneFirst(kept), 0)
})

t.test('every fault of one message is named at once', async (t) => {
  const answer = await one.ask('POST /send/v1/messages', {
    body: { from: { name: 'a\nb' }, to: 'x', headers: { Bcc: 'y' }, attachments: [{}], strem: 'security' },
  })
  t.same(fieldsOf(answer), [
    ...['body.attachments.0.content', 'body.attachments.0.filename', 'body.from.email', 'body.from.name'],
    ...['body.headers.Bcc', 'body.stream', 'body.strem', 'body.subject', 'body.text', 'body.to'],
  ])
})

t.test('what is no JSON object at all is refused', async (t) => {
  const ask = (raw: string, type = 'application/json') =>
    one.ask('POST /send/v1/messages', { raw, headers: { 'content-type': type } })
  const good = JSON.stringify(message(one.domain))
  for (const raw of [
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
    `[${good}]`,
    '['.repeat(100),
  ]) {
    t.equal((await ask(raw)).status, 400, raw.slice(0, 20))
  }
  t.equal((await ask(good, 'text/plain')).status, 415)
  t.equal((await one.ask('POST /send/v1/messages')).status, 400)
})

t.test('what looks strange and is fine is taken as it is', async (t) => {
  const taken: Record<string, object> = {
    'an internationalised domain': { to: 'ann@bücher.example' },
    'a tagged address': { to: "o'brien+tag=1@rcpt.example" },
    'a subject in another script': { subject: 'Ваш заказ 🎉' },
    'text with tabs and line breaks': { text: 'a\tb\r\nc\n' },
    'a header for threads': headers('References', '<a@b.example>'),
    'html of a megabyte': { html: 'x'.repeat(1024 * 1024) },
  }
  for (const [what, more] of Object.entries(taken)) {
    t.equal((await one.send(more as Record<string, unknown>)).status, 202, what)
  }
  const { data } = (await one.ask('GET /send/v1/messages?to=ann@xn--bcher-kva.example')).body
  t.equal(data.length, 1)
})

t.test('queries and ids that are none are refused', async (t) => {
  for (const query of ['status=open', 'stream=x', 'to=x', 'limit=0', 'limit=101', 'cursor=x', 'campaign_id=1']) {
    t.equal((await one.ask(`GET /send/v1/messages?${query}`)).status, 400, query)
  }
  for (const path of [
    'messages/x',
    'templates/%00',
    'campaigns/..%2f',
    'messages/00000000-0000-0000-0000-000000000000',
  ]) {
    t.equal((await one.ask(`GET /send/v1/${path}`)).status, 404, path)
  }
  t.equal((await one.ask('GET /send/v1/messages', { key: 'snd_live_unknownunknownunknown' })).status, 401)
})
