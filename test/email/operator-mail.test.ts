import t from 'tap'
import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { forwardOperatorMail } from '#tasks/email/forward-operator-mail.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { mailRegion } from '../../ingress/email/console/mail-region.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { pruneArea } from '../support/prune.ts'
import { until } from '../support/until.ts'
import { inboundStack } from './inbound-fixture.ts'
import { send } from './smtp-client.ts'

t.setTimeout(240_000)
const { db, port } = await inboundStack(t)
const text = 'From: Ann <ann@rcpt.example>\nSubject: Stop\n\nYou send <b>me</b> spam.\n'
const write = (to: string, mail = text, from = 'ann@rcpt.example') => send(t, port, from, to, mail)
const kept = () => operatorMail.list(db, 500)
const forget = () => db.query(sql.typeAlias('void')`delete from email.operator_mail`)

t.test('postmaster and abuse of the host and of return paths are taken, and shown to operators', async (t) => {
  const host = config.MAIL_HOSTNAME
  for (const to of [
    `Postmaster@${host}`,
    `abuse@${host}`,
    'abuse@bounce.sender.example',
    'POSTMASTER@BOUNCE.sender.example',
  ]) {
    t.match(await write(to), /^250 /, to)
  }
  t.match(await write(`postmaster@${host}`, text, ''), /^250 /, 'from nobody, too')
  t.match(
    (await kept()).map(({ recipient, remote_network, sender }) => [recipient, remote_network, sender]),
    [
      [`postmaster@${host}`, '127.0.0.0/24', ''],
      ['postmaster@bounce.sender.example', '127.0.0.0/24', 'ann@rcpt.example'],
      ['abuse@bounce.sender.example'],
      [`abuse@${host}`],
      [`postmaster@${host}`],
    ],
  )
  const shown = JSON.stringify(await mailRegion.read(db, undefined as never))
  t.match(shown, /abuse@bounce\.sender\.example/)
  t.match(shown, /You send &lt;b&gt;me&lt;\/b&gt; spam/)
  for (const to of ['abuse@elsewhere.example', 'postmaster@sender.example', 'info@bounce.sender.example']) {
    t.match(await write(to), /^550 /, 'no relay')
  }
  await forget()
})

t.test('a mail that is too large, and one too many of a network, are not taken', async (t) => {
  const to = 'abuse@bounce.sender.example'
  t.match(await write(to, `${text}${'x'.repeat(70)}\n`.repeat(12_000)), /^552 /)
  for (let n = 0; n < 20; n++) t.match(await write(to), /^250 /)
  t.match(await write(to), /^451 .*Too much email/)
  t.equal((await kept()).length, 20)
  await forget()
})

/** As though a network had brought mails, each of so many bytes; how many were taken. */
async function bring(
  remote_network: string,
  count: number,
  bytes = 1,
  most: { bytes: number; mails: number } = operatorMail.mostKept,
): Promise<number> {
  let taken = 0
  const mail = { sender: 'ann@rcpt.example', recipient: 'abuse@bounce.sender.example', remote_network }
  for (let n = 0; n < count; n++) {
    const content = Buffer.alloc(bytes, 'x')
    if (await db.transaction((tx) => operatorMail.insert(tx, { id: newId(), ...mail, content }, most))) taken++
  }
  return taken
}

t.test('who fills the hour keeps nobody out who has sent nothing in it', async (t) => {
  for (let n = 0; n < 10; n++) t.equal(await bring(`2001:db8:${n}::/48`, 21), 20)
  t.equal(await bring('2001:db8:a::/48', 2), 1)
  t.match(await write('abuse@bounce.sender.example'), /^250 /)
  t.match(await write('abuse@bounce.sender.example'), /^451 /)
  await forget()
})

t.test('more than may be kept makes the oldest go, of the networks with the most bytes', async (t) => {
  const most = { bytes: 10_000, mails: 8 }
  t.equal(await bring('192.0.2.0/24', 1, 500, most), 1)
  t.equal(await bring('198.51.100.0/24', 15, 2_000, most), 15)
  const networks = async () => (await kept()).map(({ remote_network }) => remote_network)
  t.same(await networks(), [...Array(4).fill('198.51.100.0/24'), '192.0.2.0/24'])
  t.equal(await bring('192.0.2.0/24', 10, 1, most), 10)
  t.equal((await networks()).length, 8)
  await forget()
})

t.test('it is kept for 30 days', async (t) => {
  await bring('192.0.2.0/24', 2)
  const [first] = await kept()
  await db.query(sql.typeAlias('void')`
    update email.operator_mail set created_at = now() - interval '31 days' where id = ${first?.id ?? null}`)
  await pruneArea(db, 'email')
  t.equal((await kept()).length, 1)
  await forget()
})

t.test('it is forwarded to MAIL_POSTMASTER, as an attachment and from nobody, and never to ourselves', async (t) => {
  const stack = await mailStack(t)
  const sink = await startSink(t, '127.0.0.1', 0)
  const environment = { MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}` }
  const content = Buffer.from(text.replaceAll('\n', '\r\n'))
  const mail = {
    sender: 'ann@rcpt.example',
    recipient: 'abuse@bounce.sender.example',
    remote_network: '192.0.2.0/24',
    content,
  }
  const take = async () => {
    const id = newId()
    await operatorMail.insert(stack.db, { id, ...mail })
    await enqueue(stack.db, forwardOperatorMail, { id })
    return id
  }
  const worker = await stack.startWorkers(
    { ...environment, MAIL_POSTMASTER: 'ops@operator.example' },
    'mail-transactional',
  )
  const id = await take()
  const { from, raw } = await sink.mailTo('ops@operator.example')
  t.equal(from, '')
  t.match(raw.toString(), /^Subject: Email to abuse@bounce\.sender\.example\r$/m)
  t.match(raw.toString(), /^X-Millrace-Forwarded: mail\.platform\.example\r$/m)
  t.ok(raw.includes(content), 'as it came')
  await until(async () => (await operatorMail.find(stack.db, id))?.forwarded_at, { what: 'it is written down' })
  await worker.stop()
  const other = await stack.startWorkers(
    { ...environment, MAIL_POSTMASTER: 'a@bounce.sender.example' },
    'mail-transactional',
  )
  const looping = await take()
  const [after = ''] = await stack.send({ to: 'b@rcpt.example' })
  await stack.becomes(after, 'sent')
  await other.stop()
  t.equal((await operatorMail.find(stack.db, looping))?.forwarded_at, null)
  t.equal(sink.mails.length, 2)
})
