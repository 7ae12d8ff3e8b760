import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { rewake } from '#tasks/email/rewake.ts'
import { assignIpPool, unassignIpPool } from '#tasks/email/rules/assign-ip-pool.ts'
import { findWaiting } from '#tasks/email/rules/waiting.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { startNsd } from '../support/nsd.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const stack = await mailStack(t)
const { db, orgId } = stack
const port = await freePort()
const sink = await startSink(t, '127.0.0.41', port)
const nsd = await startNsd(t, {
  'sender.example': stack.keys.records,
  'rcpt.example': '@ IN MX 10 mx\nmx IN A 127.0.0.41',
})
const settings = {
  DNS_RESOLVERS: nsd.dns,
  MAIL_MX_PORT: String(port),
  MAIL_MX_ALLOWED: '127.0.0.0/8',
  MAIL_TRANSACTIONAL_ADDRESSES: '127.0.0.51=shared.platform.example',
  MAIL_CAMPAIGN_ADDRESSES: '127.0.0.52=news.platform.example',
}
const common = await stack.startWorkers(settings)
const fromOf = async (id: string) => (await stack.attempts(id)).map(({ local_address }) => local_address)
const poolOf = (id: string) =>
  db.maybeOneFirst(sql.type(z.object({ pool: z.string() }))`select pool from email.deliveries where message_id = ${id}`)
const pool = { name: 'acme', addresses: [{ address: '127.0.0.61', name: 'mta61.platform.example' }], warm_up: null }

t.test('an organisation without a pool sends from the shared addresses', async (t) => {
  const [first, news] = await stack.send({ to: 'a@rcpt.example' }, { to: 'b@rcpt.example', stream: 'subscribed' })
  await stack.becomes(first as string, 'delivered')
  await stack.becomes(news as string, 'delivered')
  t.strictSame(await fromOf(first as string), ['127.0.0.51'])
  t.strictSame(await fromOf(news as string), ['127.0.0.52'])
})

t.test('without a worker for its pool, email waits with the reason, and goes when one starts', async (t) => {
  t.ok(await ipPools.insert(db, pool))
  t.ok(await assignIpPool(db, 'acme', orgId, 'tester'))
  const [id = '', news = ''] = await stack.send(
    { to: 'c@rcpt.example' },
    { to: 'd@rcpt.example', stream: 'subscribed' },
  )
  t.strictSame([await poolOf(id), await poolOf(news)], ['transactional:acme', 'campaign:acme'])
  const [other = ''] = await stack.sendFromAnother({ to: 'e@rcpt.example' })
  await until(async () => (await stack.read(other)).status === 'delivered', { what: 'others are not affected' })
  t.match(await findWaiting(db, await stack.read(id)), { pool: 'transactional', reason: /No worker .* IP pool acme/ })
  t.match(await ipPools.listViews(db), [{ name: 'acme', assigned_to: orgId, waiting: 2, live: [] }])
  t.same(await fromOf(id), [])

  const dedicated = await stack.startWorkers({ ...settings, MAIL_DEDICATED_ADDRESSES: '127.0.0.61' })
  t.match(await ipPools.listViews(db, orgId), [{ live: ['127.0.0.61'] }])
  const core = await stack.startWorkers(settings, 'core')
  await db.query(sql.typeAlias('void')`update email.deliveries set due_at = now() - interval '1 minute'`)
  await enqueue(db, rewake, {})
  await stack.becomes(id, 'delivered')
  await stack.becomes(news, 'delivered')
  t.strictSame([await fromOf(id), await fromOf(news)], [['127.0.0.61'], ['127.0.0.61']])

  const many = await stack.send(...Array.from({ length: 40 }, (_, n) => ({ to: `m${n}@rcpt.example` })))
  for (const one of many) await stack.becomes(one, 'delivered')
  t.strictSame(new Set((await Promise.all(many.map(fromOf))).flat()), new Set(['127.0.0.61']))
  t.ok(sink.mails.length >= 45)
  await core.stop()
  await dedicated.stop()
})

t.test('waiting email moves with the assignment, in both directions', async (t) => {
  await until(async () => !(await ipPools.hasWorker(db, 'acme')), { what: 'the worker has no lease' })
  const [id = ''] = await stack.send({ to: 'f@rcpt.example' })
  t.equal(await poolOf(id), 'transactional:acme')
  t.equal(await unassignIpPool(db, orgId, 'tester'), 'acme')
  await stack.becomes(id, 'delivered')
  t.strictSame(await fromOf(id), ['127.0.0.51'])
  t.equal(await unassignIpPool(db, orgId, 'tester'), null)

  // Accepted for the shared pool at the moment of the assignment: the worker gives it back to the dedicated pool.
  await common.stop()
  const [late = ''] = await stack.send({ to: 'g@rcpt.example' })
  t.ok(await assignIpPool(db, 'acme', orgId, 'tester'))
  t.equal(await poolOf(late), 'transactional:acme')
  await db.query(sql.typeAlias('void')`update email.deliveries set pool = 'transactional' where message_id = ${late}`)
  await db.query(sql.typeAlias('void')`update email.ip_pools set assigned_at = now()`)
  await stack.startWorkers({ ...settings, MAIL_DEDICATED_ADDRESSES: '127.0.0.61' })
  await stack.hurry()
  await stack.becomes(late, 'delivered')
  t.strictSame(await fromOf(late), ['127.0.0.61'])
})

t.test('a pool warms up by its own schedule, and what is over the limit waits until tomorrow', async (t) => {
  t.ok(await ipPools.update(db, 'acme', { warm_up: [[0, 3]] }))
  const ids = await stack.send(...Array.from({ length: 5 }, (_, n) => ({ to: `w${n}@rcpt.example` })))
  const statuses = async () => (await Promise.all(ids.map((id) => stack.read(id)))).map(({ status }) => status)
  await until(async () => (await statuses()).filter((one) => one === 'delivered').length === 3, {
    what: 'three are sent',
  })
  const waiting = ids[(await statuses()).findIndex((one) => one !== 'delivered')] as string
  await until(async () => (await findWaiting(db, await stack.read(waiting)))?.reply_class === 'warm_up', {
    what: 'the rest waits',
  })
  t.match(await ipPools.listViews(db), [{ today: { '127.0.0.61': 3 }, waiting: 2 }])
  t.equal((await statuses()).filter((one) => one === 'delivered').length, 3)
})

t.test('a pool belongs to one organisation, and is deleted only when nothing uses it', async (t) => {
  t.notOk(await ipPools.insert(db, pool))
  t.ok(await ipPools.insert(db, { ...pool, name: 'second' }))
  t.notOk(await assignIpPool(db, 'second', orgId, 'tester'), 'the organisation has one')
  t.notOk(await assignIpPool(db, 'none', orgId, 'tester'))
  t.notOk(await ipPools.remove(db, 'acme'))
  t.ok(await ipPools.remove(db, 'second'))
})
