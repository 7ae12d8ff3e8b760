import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { rewake } from '#tasks/email/rewake.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'

const [first, second, campaign] = ['127.0.0.140', '127.0.0.141', '127.0.0.142']
const port = await freePort()
const many = Array.from({ length: 40 }, (_, i) => `d${i}`)
const [stack, nsd] = await Promise.all([
  mailStack(t),
  startNsd(t, {
    'rcpt.example': [
      ...['blocks', 'warm', 'slow', 'rest', ...many].map((name) => `${name} IN MX 10 mx.${name}`),
      'mx.blocks IN A 127.0.0.70\nmx.warm IN A 127.0.0.71\nmx.slow IN A 127.0.0.72\nmx.rest IN A 127.0.0.73',
      ...many.map((name) => `mx.${name} IN A 127.0.0.74`),
    ].join('\n'),
  }),
])
await stack.startWorkers({
  DNS_RESOLVERS: nsd.dns,
  MAIL_MX_PORT: String(port),
  MAIL_MX_ALLOWED: '127.0.0.0/24',
  MAIL_TRANSACTIONAL_ADDRESSES: `${first}=mta1.example,${second}=mta2.example`,
  MAIL_CAMPAIGN_ADDRESSES: `${campaign}=mta3.example`,
  MAIL_WARMUP: '0:5,30:0,',
  MAIL_CONCURRENCY: '4',
})
// Addresses of a month ago, but for the one of campaigns.
const Nothing = sql.typeAlias('void')
for (const address of [first, second]) {
  await stack.db.query(Nothing`insert into email.address_days values (${address}, current_date - 60, 1)`)
}
const count = (of: ReturnType<typeof sql.fragment>) =>
  stack.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from ${of}`)

t.test('an address that a server has on a list makes room for the next one of the pool', async (t) => {
  const sink = await startSink(t, '127.0.0.70', port, {
    onRcpt: (_, { remoteAddress }) =>
      remoteAddress === first ? `554 5.7.1 Client host [${first}] blocked using zen.spamhaus.org` : undefined,
  })
  const ids = await stack.send(...Array.from({ length: 6 }, (_, i) => ({ to: `a${i}@blocks.rcpt.example` })))
  await until(
    async () => {
      await stack.db.query(Nothing`update email.deliveries set due_at = now()`)
      await stack.db.query(
        Nothing`update jobs_mail_transactional._private_jobs set run_at = now() where locked_at is null`,
      )
      const read = await Promise.all(ids.map((id) => stack.read(id)))
      return read.every(({ status }) => status === 'delivered')
    },
    { what: 'all are delivered', every: 300 },
  )
  t.ok(sink.mails.every(({ remoteAddress }) => remoteAddress === second))
  const refused = await count(sql.fragment`email.attempts where reply_class = 'blocked' and local_address = ${first}`)
  t.ok(refused <= 6)
  const sites = await stack.db.any(sql.type(z.object({ local_address: z.string(), suspended: z.boolean() }))`
    select local_address, coalesce(suspended_until > now() + interval '50 minutes', false) as suspended
    from email.mx_sets where mx_set = 'mx.blocks.rcpt.example'`)
  for (const { local_address, suspended } of sites)
    t.equal(suspended, local_address === first && refused > 0, local_address)
})

t.test('no more leaves from a new address than its warm-up allows, and the rest waits for tomorrow', async (t) => {
  const sink = await startSink(t, '127.0.0.71', port)
  await stack.send(
    ...Array.from({ length: 8 }, (_, i) => ({ to: `a${i}@warm.rcpt.example`, stream: 'subscribed' as const })),
  )
  const suspended = sql.fragment`email.mx_sets where mx_set = 'mx.warm.rcpt.example' and suspended_until >= current_date + 1`
  await until(async () => (await count(suspended)) === 1, { what: 'the set is suspended' })
  await until(() => sink.mails.length === 5, { what: 'five have left' })
  await until(async () => (await count(sql.fragment`email.connections`)) === 0, { what: 'the turn is over' })
  t.equal(sink.mails.length, 5)
  const waiting = await count(sql.fragment`jobs_mail_campaign.jobs where run_at >= current_date + 1`)
  t.equal(waiting, 1, 'and is woken then')
})

t.test('one organisation’s backlog does not hold up another’s mail', async (t) => {
  const backlog = isWhole ? 400 : 200
  const sent = Promise.withResolvers<void>()
  let begun = 0
  const sink = await startSink(t, '127.0.0.72', port, {
    // The rest of the backlog waits at the server until the other organisation has sent.
    onMail: async () => void (++begun > 21 && (await sent.promise)),
  })
  await stack.send(...Array.from({ length: backlog }, (_, i) => ({ to: `a${i}@slow.rcpt.example` })))
  await until(() => sink.mails.length > 20, { what: 'the backlog is on its way', every: 5 })
  const before = sink.mails.length
  await stack.sendFromAnother({ to: 'other@slow.rcpt.example' })
  sent.resolve()
  await sink.mailTo('other@slow.rcpt.example')
  const behind = sink.mails.findIndex(({ to }) => to === 'other@slow.rcpt.example') - before
  t.ok(behind < 150, `${behind} of the backlog went first`)
  await until(() => sink.mails.length === backlog + 1, { what: 'all arrive' })
})

t.test('mail that comes while turns end is delivered all the same, to many domains at once', async (t) => {
  const sink = await startSink(t, '127.0.0.74', port, { hideSTARTTLS: true })
  const rounds = isWhole ? 150 : 50
  const begun = performance.now()
  for (let i = 0; i < rounds; i++) {
    await stack.send({ to: `a${i}@d${i % 3}.rcpt.example` }, { to: `b${i}@${many[i % many.length]}.rcpt.example` })
  }
  await until(() => sink.mails.length === 2 * rounds, { what: 'all arrive' })
  t.ok(performance.now() - begun < 50_000, 'without anything that looks for forgotten mail')
  await until(async () => (await count(sql.fragment`email.connections`)) === 0, { what: 'nothing is left open' })
})

t.test('what must not leave any more does not', async (t) => {
  const sink = await startSink(t, '127.0.0.73', port)
  await stack.db.query(Nothing`
    insert into email.reputation (org_id, marketing) values (${stack.orgId}, 'paused')`)
  await stack.db.query(Nothing`delete from email.mx_sets`)
  await stack.db.query(Nothing`update email.address_days set sent = 0`)
  const [paused = ''] = await stack.send({ to: 'news@rest.rcpt.example', stream: 'subscribed' })
  t.match(await stack.becomes(paused, 'deferred'), { reply_class: 'marketing_paused' })
  await stack.db.query(Nothing`
    insert into email.suppressions (org_id, email, reason) values (${stack.orgId}, 'no@rest.rcpt.example', 'complaint')`)
  const [complained = '', code = ''] = await stack.send(
    { to: 'no@rest.rcpt.example' },
    { to: 'no@rest.rcpt.example', stream: 'security' },
  )
  await stack.becomes(complained, 'suppressed')
  await stack.becomes(code, 'delivered')
  t.same(
    sink.mails.map(({ raw }) => /^Message-ID: <(.*)@/m.exec(raw.toString())?.[1]),
    [code],
    'after a complaint a code still arrives',
  )
})

t.test('mail that nobody is woken for is found, and mail whose time is over is given up', async (t) => {
  const sink = await startSink(t, '127.0.0.73', port)
  const [id = ''] = await stack.send({ to: 'z@rest.rcpt.example', stream: 'subscribed' })
  const [gone = ''] = await stack.send({ to: 'w@rest.rcpt.example', stream: 'subscribed' })
  await stack.becomes(id, 'deferred')
  await stack.becomes(gone, 'deferred')
  await stack.db.query(Nothing`delete from email.reputation`)
  await stack.db.query(Nothing`delete from jobs_mail_campaign._private_jobs where locked_at is null`)
  await stack.db.query(Nothing`update email.deliveries set due_at = now() - interval '1 hour' where message_id = ${id}`)
  await stack.db.query(Nothing`
    update email.deliveries set give_up_at = now() - interval '1 hour' where message_id = ${gone}`)
  await rewake.run({}, { db: stack.db, signal: new AbortController().signal } as never)
  t.match(await stack.becomes(gone, 'failed'), { reply_class: 'expired', reason: /^4\.4\.7/ })
  await stack.becomes(id, 'delivered')
  t.ok(sink.mails.some(({ to }) => to === 'z@rest.rcpt.example'))
})
