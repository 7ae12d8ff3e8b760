import t from 'tap'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as events from '#sql/webhooks/events.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret as secretService } from '../../ingress/http/services.ts'
import { createBodyMaker, isNestedBeyond } from '../../workers/mail/letter/body-maker.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'

t.setTimeout(120_000)
const port = await freePort()
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, {
    'rcpt.example': ['one', 'mute']
      .map((name, i) => `${name} IN MX 1 mx.${name}\nmx.${name} IN A 127.0.0.${80 + i}`)
      .join('\n'),
  }),
])
const { db } = stack
const ingress = await testIngress(t, db, [], { services: [provide(secretService, signingSecret)] })
const environment = { DNS_RESOLVERS: nsd.dns, MAIL_MX_PORT: String(port), MAIL_MX_ALLOWED: '127.0.0.0/24' }

/** An organisation that sends from a domain of its own through the front door. */
async function sender(db: DatabasePool, domain: string) {
  const { org, keys } = await testOrg(db, ['email:send', 'email:manage'])
  await ingress.ask('POST /send/v1/webhooks', {
    key: keys.main,
    body: { url: 'https://hooks.example/email', events: ['email.failed'] },
  })
  await addDomain(db, org.id, domain)
  return async (body: Record<string, unknown>): Promise<string> => {
    const sent = { stream: 'transactional', from: { email: `hello@${domain}` }, subject: 'A subject', ...body }
    const reply = await ingress.ask('POST /send/v1/messages', { key: keys.main, body: sent })
    if (reply.status !== 202) throw new Error(reply.text)
    return reply.body.id
  }
}

const failures = async (id: string) =>
  await db.any(sql.type(events.table.Row)`
    select ${events.table.columns()} from webhooks.events
    where type = 'email.failed' and data ->> 'id' = ${id}`)

/** How a delivery stands; null when it has come to its end. */
const delivery = async (id: string) =>
  await db.maybeOne(sql.type(z.object({ losses: z.number(), handed: z.boolean(), held: z.boolean() }))`
    select losses, handed, leased_by is not null and email.is_leased(leased_by) as held from email.deliveries where message_id = ${id}`)

t.test('a body that is too costly fails its message once, and the mail of others goes on', async (t) => {
  const sink = await startSink(t, '127.0.0.80', port, { hideSTARTTLS: true })
  const [hostile, other] = await Promise.all([sender(db, 'hostile.example'), sender(db, 'other.example')])
  const workers = await stack.startWorkers(environment)
  const deep = await hostile({ to: 'a@one.rcpt.example', html: '<ul><li>'.repeat(100_000) })
  const beside = await other({ to: 'b@one.rcpt.example', html: '<p>Hello</p>' })
  const large = await other({ to: 'c@one.rcpt.example', html: '<p>Hello you there</p>'.repeat(10_000) })
  await Promise.all([sink.mailTo('b@one.rcpt.example'), sink.mailTo('c@one.rcpt.example')])
  for (const id of [beside, large]) await stack.becomes(id, 'delivered')
  const failed = await stack.becomes(deep, 'failed')
  t.match(failed, { reply_class: 'too_costly', reason: /elements within each other/ })
  const told = await failures(deep)
  t.equal(told.length, 1, 'it is told once')
  t.match(told[0]?.data, { reply_class: 'too_costly', reason: failed.reason })
  const attempts = await db.any(sql.type(z.object({ outcome: z.string() }))`
    select outcome from email.attempts where message_id = ${deep}`)
  t.same(attempts, [{ outcome: 'failed' }], 'and was tried once')
  const lost = await db.oneFirst(sql.typeAlias('count')`select count(*) from jobs.workers where state = 'lost'`)
  t.equal(lost, 0)
  await workers.stop()
})

t.test('a message whose worker goes twice while it is at it fails for good', async (t) => {
  // It never greets: no message is given to it.
  await startSink(t, '127.0.0.81', port, { onConnect: () => {} })
  const send = await sender(db, 'crashing.example')
  const id = await send({ to: 'a@mute.rcpt.example', text: 'Hello' })
  for (const losses of [0, 1]) {
    const workers = await stack.startWorkers(environment, 'mail-transactional')
    await until(
      async () => {
        const at = await delivery(id)
        return at?.held && at.losses === losses
      },
      { what: `it is taken after ${losses} losses` },
    )
    t.match(await delivery(id), { handed: false })
    await workers.kill()
  }
  const workers = await stack.startWorkers(environment, 'mail-transactional')
  const failed = await stack.becomes(id, 'failed')
  t.match(failed, {
    reply_class: 'too_costly',
    reason: '2 workers went while they were at it.',
  })
  t.equal((await failures(id)).length, 1)
  t.equal(await delivery(id), null)
  await workers.stop()
})

t.test('large bodies are made in threads, as small ones are made at once', async (t) => {
  const bodies = createBodyMaker()
  t.teardown(() => bodies.close())
  const large = { html: '<p>Grüße</p>'.repeat(9_000), text: null, attachments: [] }
  const { bytes, is8Bit, fields } = await bodies.make(large)
  t.match(fields, /^MIME-Version: 1.0\r\nContent-Type: multipart\/alternative/)
  t.equal(is8Bit, false)
  t.ok(Buffer.isBuffer(bytes))
  t.match(bytes.toString('latin1'), /Gr=C3=BC=C3=9Fe/)
  const short = createBodyMaker({ threads: 1, seconds: 0.001, megabytes: 64 })
  t.teardown(() => short.close())
  await t.rejects(short.make(large), { name: 'Unmade', message: /takes more than/ })
})

t.test('how deep elements stand within each other is counted by tags', async (t) => {
  t.ok(isNestedBeyond('<b>'.repeat(11), 10))
  t.notOk(isNestedBeyond('<b></b>'.repeat(11), 10))
  t.notOk(isNestedBeyond('<p>One<br><li>'.repeat(11), 10), 'paragraphs need no end')
})
