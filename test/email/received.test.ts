import { generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import { sweepReceived } from '#tasks/email/sweep-received.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { eicar } from '../files/archives.ts'
import { until } from '../support/until.ts'
import { receivedStack } from './received-stack.ts'

t.setTimeout(240_000)

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const stack = await receivedStack(t, {
  'people.example': `@ IN TXT "v=spf1 ip4:127.0.0.1 -all"
_dmarc IN TXT "v=DMARC1; p=reject"
s1._domainkey IN TXT "v=DKIM1; k=rsa; p=" ${(key.match(/.{1,250}/g) ?? []).map((chunk) => `"${chunk}"`).join(' ')}`,
  'forged.example': '@ IN TXT "v=spf1 ip4:192.0.2.1 -all"\n_dmarc IN TXT "v=DMARC1; p=quarantine"',
})
const { db, org, ask, bring, take, received } = stack
const support = await take('support@shop.example')
await stack.startWorkers()

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`

/** A message that was sent to somebody who answers it. */
async function sent(): Promise<messages.NewMessage> {
  const domain = await domains.find(db, org.id, 'shop.example')
  const [id, content_id] = [newId(), newId()]
  const said = { html: null, text: 'It is on its way.', reply_to: null, headers: {}, attachments: [] }
  await contents.insertMany(db, [{ id: content_id, org_id: org.id, ...said }])
  const none = { key_id: null, campaign_id: null, contact_id: null, template_id: null, reason: null, from_name: null }
  const row: messages.NewMessage = {
    ...none,
    id,
    org_id: org.id,
    sandbox: false,
    stream: 'transactional',
    domain_id: domain?.id ?? '',
    from_email: 'support@shop.example',
    to_email: 'ada@people.example',
    subject: 'Your order',
    content_id,
    message_id: `${id}@shop.example`,
    status: 'delivered',
  }
  await messages.insertMany(db, [row])
  return row
}

t.test('a reply is read, proven, told with what it answers, and its files come through the malware gate', async (t) => {
  const order = await sent()
  const mail = lines(
    'From: Ada <Ada@People.example>',
    'To: Support <support@shop.example>, other@elsewhere.example',
    'Subject: =?utf-8?Q?Re:_Your_order_=E2=9C=93?=',
    'Message-ID: <answer-1@people.example>',
    `In-Reply-To: <${order.message_id}>`,
    `References: <unknown@people.example> <${order.message_id}>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'We have received it. Thank you!',
    '',
    'On Thu, 26 Nov 2026 at 10:00, Support <support@shop.example>',
    'wrote:',
    '> It is on its way.',
    '',
    '--b',
    'Content-Type: text/plain',
    'Content-Disposition: attachment; filename="../../notes.txt"',
    '',
    'Some notes.',
    '--b',
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment; filename="virus.com"',
    'Content-Transfer-Encoding: base64',
    '',
    eicar.toString('base64'),
    '--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename="empty.csv"',
    '',
    '--b--',
  )
  const signing = { signingDomain: 'people.example', selector: 's1', privateKey: pem }
  const { signatures } = await dkimSign(mail, { ...signing, signatureData: [signing] })
  t.match(await bring('Support+order@shop.example', signatures + mail), /^250 /)
  const [summary] = await received(1)
  t.match(summary, { from: { email: 'ada@people.example', name: 'Ada' }, subject: 'Re: Your order ✓', is_read: true })
  const { body } = await ask(`GET /send/v1/received/${summary.id}`)
  t.match(body, {
    route_id: support,
    recipient: 'support+order@shop.example',
    sender: 'ada@people.example',
    to: ['support@shop.example', 'other@elsewhere.example'],
    message_id: 'answer-1@people.example',
    replies_to: order.id,
    auto_submitted: false,
    reply: 'We have received it. Thank you!',
    text: /on its way/,
    authentication: {
      spf: { result: 'pass', domain: 'people.example' },
      dkim: [{ result: 'pass', domain: 'people.example', selector: 's1', aligned: true }],
      dmarc: { result: 'pass', domain: 'people.example', policy: 'reject' },
    },
    attachments: [
      { filename: '.._.._notes.txt', content_type: 'text/plain', scan_status: 'clean' },
      { filename: 'virus.com', scan_status: 'infected', url: null },
      { filename: 'empty.csv', content_type: 'text/csv', bytes: 0, scan_status: 'clean' },
    ],
  })
  const [clean, infected, empty] = body.attachments
  const fileUrl = (id: string) => `/send/v1/received/${summary.id}/attachments/${id}/download-url`
  const path = new URL(clean.url).pathname
  t.equal(path, fileUrl(clean.object_id))
  const link = await ask(`POST ${path}`)
  t.match((await (await fetch(link.body.download_url)).text()).trim(), 'Some notes.')
  const nothing = await fetch((await ask(`POST ${fileUrl(empty.object_id)}`)).body.download_url)
  t.match([nothing.status, await nothing.text()], [200, ''], 'a file of no bytes comes through the gate, too')
  t.match(await ask(`POST ${fileUrl(infected.object_id)}`), {
    status: 409,
    body: { error: { code: 'not_clean', details: { scan_status: 'infected' } } },
  })
  t.equal((await ask(`POST ${fileUrl(summary.id)}`)).status, 404)
  const raw = await ask(`POST /send/v1/received/${summary.id}/download-url`)
  t.equal(await (await fetch(raw.body.download_url)).text(), `${signatures}${mail}\r\n`)
  const [event, ...more] = await stack.told()
  t.same(more, [])
  t.match(event, {
    id: summary.id,
    replies_to: order.id,
    reply: 'We have received it. Thank you!',
    attachments: { length: 3 },
  })
  t.match((await ask(`GET /send/v1/received?replies_to=${order.id}`)).body.data, [{ id: summary.id }])
  t.same((await ask(`GET /send/v1/received?from=nobody@people.example`)).body.data, [])
})

t.test('what is forged, written by a program, or no mail at all, is taken and said to be so', async (t) => {
  const before = (await stack.told()).length
  const forged = lines('From: boss@forged.example', 'Subject: Pay', 'Auto-Submitted: auto-replied', '', 'Now.')
  t.match(await bring('support@shop.example', forged, 'boss@forged.example'), /^250 /)
  t.match(await bring('support@shop.example', `${'\u0000\u00ff'.repeat(5_000)}\r\n`), /^250 /)
  t.match(await bring('support@shop.example', lines('Subject: A notice', '', 'Away.'), ''), /^250 /)
  const [notice, odd, mail] = await received(before + 3)
  t.match(mail, {
    auto_submitted: true,
    authentication: { spf: { result: 'fail' }, dkim: [], dmarc: { result: 'fail', policy: 'quarantine' } },
  })
  t.match(odd, { is_read: true, replies_to: null })
  t.match(notice, { sender: '', auto_submitted: true })
  t.equal((await stack.told()).length, before + 3)
})

t.test('people wrote group mail and forwards, and text of HTML counts where the plain part is blank', async (t) => {
  const before = (await stack.told()).length
  const alternatives = (plain: string, html: string) => [
    'In-Reply-To: <an-order@shop.example>',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    ...['--b', 'Content-Type: text/plain; charset=utf-8', '', plain],
    ...['--b', 'Content-Type: text/html; charset=utf-8', '', html, '--b--'],
  ]
  const quote = '<div class="gmail_quote"><div>Ann, 23/11:</div><blockquote>Old</blockquote></div>'
  const bodies: [what: string, fields: string[], facts: object][] = [
    ['group mail', ['Precedence: list', 'List-ID: <all.people.example>', '', 'Hello.'], {}],
    ['a forward', ['Auto-Submitted: auto-forwarded', '', 'Hello.'], {}],
    ['of Exchange', ['X-Auto-Response-Suppress: All', '', 'Hello.'], {}],
    ['a program', ['Auto-Submitted: auto-replied (vacation)', '', 'Hello.'], { auto_submitted: true }],
    ['blank', alternatives('', `<p>Hello.</p>${quote}`), { no_auto_reply: false, text: /^Hello\.\s+Ann/ }],
    ['HTML alone', ['Content-Type: text/html', '', '<p>Hello.</p>'], { no_auto_reply: false, text: 'Hello.' }],
    [
      'unknown words',
      alternatives('Hello.\r\n\r\nAnn, 23/11:\r\n\r\nOld', `Hello.<br>${quote}`),
      { no_auto_reply: false },
    ],
  ]
  for (const [what, fields] of bodies)
    t.match(
      await bring('support@shop.example', lines('From: ada@people.example', `Subject: ${what}`, ...fields)),
      /^250 /,
    )
  for (const { id, subject } of (await received(before + bodies.length)).slice(0, bodies.length)) {
    const facts = bodies.find(([what]) => what === subject)?.[2]
    const { body } = await ask(`GET /send/v1/received/${id}`)
    t.match(body, { auto_submitted: false, no_auto_reply: true, reply: 'Hello.', ...facts }, subject)
  }
})

t.test('the same bytes again are one mail, and one that is deleted is gone with its files', async (t) => {
  const before = (await stack.told()).length
  const mail = lines(
    'From: ada@people.example',
    'Subject: Once',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Disposition: attachment; filename=a.txt',
    '',
    'a',
    '--b--',
  )
  t.match(await bring('support@shop.example', mail), /^250 /)
  t.match(await bring('support@shop.example', mail), /^250 /)
  const [one] = await received(before + 1)
  t.equal((await stack.told()).length, before + 1)
  const { attachments } = (await ask(`GET /send/v1/received/${one.id}`)).body
  const used = async () => (await ask('GET /send/v1/inbound-storage')).body.used_bytes
  const withIt = await used()
  const file = `/v1/files/objects/${attachments[0].object_id}`
  const version = await ask(`POST ${file}/versions`, { body: { content_type: 'text/plain', byte_size: 1 } })
  t.equal(version.status, 200, version.text)
  t.equal((await ask(`DELETE /send/v1/received/${one.id}`)).status, 200)
  t.equal(withIt - (await used()), one.bytes + 1, 'the mail and its file')
  for (const path of [`/send/v1/received/${one.id}`, file, `/v1/files/objects/${version.body.object_id}`])
    t.equal((await ask(`GET ${path}`)).status, 404, path)
  await until(async () => (await stack.store.list(`email/received/${one.id}/`)).length === 0, {
    what: 'its bytes are gone',
  })
  const arriving = sql.typeAlias('count')`select count(*) from email.received where status = 'arriving'`
  t.equal(await db.oneFirst(arriving), 0)
})

t.test('a large mail is stored whole, and one that is too large is not taken', async (t) => {
  const before = (await stack.told()).length
  const big = lines('From: ada@people.example', 'Subject: Big', '', ...Array(40_000).fill('x'.repeat(70)))
  t.match(await bring('support@shop.example', big), /^250 /)
  const [one] = await received(before + 1)
  t.equal(one.bytes, Buffer.byteLength(big) + 2)
  const raw = await ask(`POST /send/v1/received/${one.id}/download-url`)
  t.equal((await (await fetch(raw.body.download_url)).arrayBuffer()).byteLength, one.bytes)
  t.match(await bring('support@shop.example', 'x'.repeat(76).concat('\r\n').repeat(360_000)), /^552 /)
})

t.test('mail goes when its time is over, and so does a note of one whose bytes never came', async (t) => {
  const before = (await stack.told()).length
  t.match(await bring('support@shop.example', lines('From: ada@people.example', 'Subject: Old', '', 'x')), /^250 /)
  const [old] = await received(before + 1)
  await db.query(sql.typeAlias('void')`
    update email.received set created_at = now() - interval '31 days' where id = ${old.id}`)
  const never = newId()
  await db.query(sql.typeAlias('void')`
    insert into email.received (id, org_id, route_id, recipient, sender, remote_address, remote_network, helo, bytes, created_at)
    values (${never}, ${org.id}, ${support}, 'a@b.example', '', '192.0.2.1', '192.0.2.0/24', 'x', 1, now() - interval '2 hours')`)
  await enqueue(db, sweepReceived, {})
  const left = sql.typeAlias('count')`select count(*) from email.received where id in (${old.id}, ${never})`
  await until(async () => (await db.oneFirst(left)) === 0, { what: 'both are gone' })
  t.equal((await ask(`GET /send/v1/received/${old.id}`)).status, 404)
})
