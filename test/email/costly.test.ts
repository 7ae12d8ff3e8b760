import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import * as events from '#sql/webhooks/events.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret as secretService } from '../../ingress/http/services.ts'
import { createBodyMaker } from '../../workers/mail/letter/body-maker.ts'
import { FairQueue } from '../../workers/mail/letter/fair-turns.ts'
import { isNestedBeyond } from '../../workers/mail/letter/nesting.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { startSink } from '../support/mail-sink.ts'
import { addDomain, mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { signingSecret, type Workers } from '../support/video-stack.ts'

t.setTimeout(240_000)
const port = await freePort()
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, {
    'rcpt.example': ['one', 'slow', 'slower', 'slowest', 'mute']
      .map((name, i) => `${name} IN MX 1 mx.${name}\nmx.${name} IN A 127.0.0.${80 + i}`)
      .join('\n'),
  }),
])
const { db } = stack
const ingress = await testIngress(t, db, [], { only: ['email'], services: [provide(secretService, signingSecret)] })
// A lease so long that only its death opens what a worker has.
const lease = { LEASE_MS: '60000' }
const environment = {
  ...lease,
  SHUTDOWN_GRACE_MS: '1',
  DNS_RESOLVERS: nsd.dns,
  MAIL_MX_PORT: String(port),
  MAIL_MX_ALLOWED: '127.0.0.0/24',
}

let running: Workers | undefined

/** Workers, which also the next tests use until they are ended. */
async function started(): Promise<Workers> {
  running ??= await stack.startWorkers(environment, 'mail-transactional')
  return running
}

async function ended(how: 'kill' | 'stop'): Promise<void> {
  await running?.[how]()
  running = undefined
}

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
  await db.maybeOne(sql.type(z.object({ losses: z.number(), stage: z.string().nullable(), held: z.boolean() }))`
    select losses, stage, leased_by is not null and email.is_leased(leased_by) as held from email.deliveries where message_id = ${id}`)

t.test('a body that is too costly fails its message once, and the mail of others goes on', async (t) => {
  const sink = await startSink(t, '127.0.0.80', port, { hideSTARTTLS: true })
  const [hostile, other] = await Promise.all([sender(db, 'hostile.example'), sender(db, 'other.example')])
  await started()
  const deep = await hostile({ to: 'a@one.rcpt.example', html: '<ul><li>'.repeat(100_000) })
  const beside = await other({ to: 'b@one.rcpt.example', html: '<p>Hello</p>' })
  const large = await other({ to: 'c@one.rcpt.example', html: '<p>Hello you there</p>'.repeat(10_000) })
  await Promise.all([sink.mailTo('b@one.rcpt.example'), sink.mailTo('c@one.rcpt.example')])
  for (const id of [beside, large]) await stack.becomes(id, 'delivered')
  const failed = await stack.becomes(deep, 'failed')
  t.match(failed, { reply_class: 'too_costly', reason: /nested elements/ })
  const told = await failures(deep)
  t.equal(told.length, 1, 'it is told once')
  t.match(told[0]?.data, { reply_class: 'too_costly', reason: failed.reason })
  const attempts = await db.any(sql.type(z.object({ outcome: z.string() }))`
    select outcome from email.attempts where message_id = ${deep}`)
  t.same(attempts, [{ outcome: 'failed' }], 'and was tried once')
  const lost = await db.oneFirst(sql.typeAlias('count')`select count(*) from jobs.workers where state = 'lost'`)
  t.equal(lost, 0)
})

/** HTML that is read for as long as it may be: what stands in a comment ends nothing. */
const endless = '<b><!--</b>-->'.repeat(70_000)

t.test('a message whose worker goes twice while it makes it fails for good', async (t) => {
  const send = await sender(db, 'crashing.example')
  const id = await send({ to: 'a@one.rcpt.example', html: endless })
  for (const losses of [0, 1]) {
    await started()
    await until(
      async () => {
        const at = await delivery(id)
        return at?.held && at.losses === losses && (losses === 0 || at.stage === 'making')
      },
      { what: `it is made after ${losses} losses`, every: 10 },
    )
    await ended('kill')
  }
  await started()
  const failed = await stack.becomes(id, 'failed')
  t.match(failed, {
    reply_class: 'too_costly',
    reason: '2 workers stopped while creating the message.',
  })
  t.equal((await failures(id)).length, 1)
  t.equal(await delivery(id), null)
})

t.test(
  'mail to servers that are slow to greet outlasts its workers, and a stop does not wait for bodies',
  async (t) => {
    let greets = false
    const slow = ['slow', 'slower', 'slowest']
    const start = (i: number) =>
      startSink(t, `127.0.0.${81 + i}`, port, { hideSTARTTLS: true, onConnect: (_, done) => greets && done() })
    const sinks = await Promise.all([...slow.keys()].map(start))
    const [send, hostile] = await Promise.all([sender(db, 'innocent.example'), sender(db, 'endless.example')])
    const ids = await Promise.all(slow.map((name) => send({ to: `a@${name}.rcpt.example`, text: 'Your code is 1234' })))
    for (const losses of [0, 1]) {
      const before = sinks.map(({ sessions }) => sessions)
      await started()
      // A worker connects after it has made the body.
      await until(() => sinks.every(({ sessions }, i) => sessions > (before[i] ?? 0)), { what: 'each is connected' })
      await until(
        async () => (await Promise.all(ids.map(delivery))).every((at) => at?.held && at.losses === losses && !at.stage),
        { what: 'each is under way' },
      )
      await ended('kill')
    }
    greets = true
    await started()
    for (const id of ids) await stack.becomes(id, 'delivered')
    const unmade = await hostile({ to: 'd@one.rcpt.example', html: endless })
    await until(async () => (await delivery(unmade))?.held, { what: 'its body is being made', every: 10 })
    await ended('stop')
    t.match(await delivery(unmade), { losses: 0, held: false }, 'it is given back')
    t.equal((await stack.read(unmade)).status, 'queued')
  },
)

t.test(
  'a message over whose sending workers go again and again is given up as one that may have arrived',
  async (t) => {
    await startSink(t, '127.0.0.84', port, { hideSTARTTLS: true, onMail: () => new Promise(() => {}) })
    const send = await sender(db, 'deadly.example')
    const id = await send({ to: 'a@mute.rcpt.example', text: 'Hello' })
    await db.query(sql.typeAlias('void')`
    update email.deliveries set losses = 1, sending_losses = 4 where message_id = ${id}`)
    await started()
    await until(async () => (await delivery(id))?.stage === 'sending', { what: 'it is sent' })
    await ended('kill')
    await started()
    t.match(await stack.becomes(id, 'failed'), { reply_class: 'unanswered', reason: /It may have arrived/ })
    await ended('stop')
  },
)

t.test('large bodies are made in threads, as small ones are made at once', async (t) => {
  const bodies = createBodyMaker()
  t.teardown(() => bodies.close())
  const large = { org_id: newId(), html: '<p>Grüße</p>'.repeat(9_000), text: null, attachments: [] }
  const { bytes, is8Bit, fields } = await bodies.make(large)
  t.match(fields, /^MIME-Version: 1.0\r\nContent-Type: multipart\/alternative/)
  t.equal(is8Bit, false)
  t.ok(Buffer.isBuffer(bytes))
  t.match(bytes.toString('latin1'), /Gr=C3=BC=C3=9Fe/)
  const hasty = { threads: 1, seconds: 0.001, megabytes: 64 }
  const short = createBodyMaker({ reading: hasty, encoding: hasty })
  t.teardown(() => short.close())
  // A task has more time if its thread has to start.
  await short.make(large)
  await t.rejects(short.make(large), { name: 'MessageBuildError', message: /took more than/ })
})

t.test('an organisation whose bodies run out of time holds up no other', async (t) => {
  // Both threads are busy for as long as a machine that is busy itself may take to start a third.
  const limits = { threads: 2, seconds: 5, megabytes: 256 }
  const bodies = createBodyMaker({ reading: limits, encoding: { ...limits, seconds: 20 } })
  t.teardown(() => bodies.close())
  const [hostile, other] = [newId(), newId()]
  const ended: string[] = []
  const make = async (org_id: string, said: { html: string; text: string | null }) => {
    await bodies.make({ org_id, attachments: [], ...said }).catch(() => {})
    ended.push(org_id)
  }
  const costly = Array.from({ length: 6 }, () => make(hostile, { html: endless, text: null }))
  const encoded = { html: '<p>Hello</p>'.repeat(20_000), text: 'Hello' }
  await make(other, encoded)
  t.same(ended, [other], 'what is only encoded waits for nothing that is read')
  await make(other, { ...encoded, text: null })
  t.ok(ended.filter((org) => org === hostile).length < costly.length, 'and what is read for no backlog')
  await bodies.close()
  await Promise.all(costly)
})

t.test('organisations have turns in a circle, and those whose work ran out of time have them last', async (t) => {
  const turns = new FairQueue(2)
  const had: string[] = []
  const places = new Map<string, Disposable>()
  const take = async (name: string) => {
    const place = await turns.take(name.slice(0, 1)).catch(() => undefined)
    if (!place) return
    had.push(name)
    places.set(name, place)
  }
  const leave = async (name: string) => {
    places.get(name)?.[Symbol.dispose]()
    await setImmediate()
  }
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map(take)
  await setImmediate()
  t.same(had, ['a1', 'a2'])
  for (const name of ['a1', 'a2', 'b1']) await leave(name)
  t.same(had.slice(2), ['b1', 'a3', 'c1'], 'one of each')
  turns.slow('a')
  for (const name of ['c1', 'a3']) await leave(name)
  t.same(had.slice(5), ['b2', 'a4'])
  await leave('b2')
  t.equal(had.length, 7, 'who is slow never has all places')
  all.push(take('d1'))
  await setImmediate()
  t.same(had.slice(7), ['d1'])
  turns.giveUp(new Error('over'))
  await Promise.all(all)
  t.notOk(had.includes('a5'))
})

t.test('how deep elements stand within each other is counted as a parser does', async (t) => {
  t.ok(isNestedBeyond('<b>'.repeat(11), 10))
  t.notOk(isNestedBeyond('<b></b>'.repeat(11), 10))
  t.notOk(isNestedBeyond('<p>One<br>'.repeat(11), 10), 'paragraphs need no end')
  t.notOk(isNestedBeyond('<table><tr><td>One<td>Two<tr><td>Three</table>'.repeat(11), 10), 'nor do cells')
  t.notOk(isNestedBeyond('<ul><li>One<li><p>Two</ul>'.repeat(11), 10))
  t.ok(isNestedBeyond('<li><dt>'.repeat(6), 10), 'an item with another thing in it goes on')
  t.ok(isNestedBeyond('<b></i>'.repeat(11), 10), 'the end of what is not open ends nothing')
})
