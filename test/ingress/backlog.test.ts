import t from 'tap'
import { z } from 'zod'
import { route } from '../../ingress/http/route.ts'
import * as plans from '../../sql/account/plans.ts'
import { type DatabasePool, sql } from '../../sql/db.ts'
import { enqueueMany } from '../../tasks/queue/enqueue.ts'
import { installEffects, plain } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { ask as askOf, ingressProcess, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { orders } from './orders.ts'

const most = 5

async function smallPlan(db: DatabasePool): Promise<void> {
  const [free] = await plans.list(db)
  const plenty = { key_requests_per_minute: 100_000, key_burst: 10_000, org_requests_per_minute: 100_000 }
  await plans.put(db, { ...(free as plans.Plan), ...plenty, name: 'small', waiting_jobs: most })
}

async function scene(t: TestScope) {
  const { url, db } = await testDatabase(t)
  await smallPlan(db)
  const { ask } = await testIngress(t, db, [orders], { only: ['account'] })
  const { keys, org } = await testOrg(db, ['files:write'], { plan: 'small' })
  const order = (name: string, { path = '/orders', key = keys.main, repeat = '' } = {}) =>
    ask(`POST /v1${path}`, { key, body: { name }, headers: repeat ? { 'idempotency-key': repeat } : {} })
  const waiting = () =>
    db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count from jobs_core._private_jobs where payload ->> 'org' = ${org.id}`)
  return { url, db, ask, order, org, keys, waiting }
}

t.test('an organisation with its plan’s jobs waiting is told to come again, and loses nothing', async (t) => {
  const { url, db, order, org, waiting } = await scene(t)
  for (let i = 0; i < most; i++) t.equal((await order(`order ${i}`, { repeat: `key ${i}` })).status, 202)
  const refused = await order('one too many', { repeat: 'another key' })
  t.equal(refused.status, 429)
  t.match(refused.body.error, {
    code: 'rate_limited',
    details: { pool: 'core', limit: 'waiting_jobs', max: most, waiting: most },
  })
  const seconds = Number(refused.headers.get('retry-after'))
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
  t.equal(await waiting(), most)

  const repeat = await order('order 0', { repeat: 'key 0' })
  t.equal(repeat.status, 202, 'a repeat has its first answer')
  t.equal(repeat.headers.get('idempotent-replayed'), 'true')

  await enqueueMany(db, plain, [{ name: 'follows' }], { orgId: org.id })
  t.equal(await waiting(), most + 1, 'work that follows from work is never refused')

  await installEffects(db)
  await startWorker(t, url)
  const again = await until(async () => {
    const reply = await order('one too many', { repeat: 'another key' })
    return reply.status === 202 ? reply : null
  })
  t.notOk(again.headers.get('idempotent-replayed'), 'the refusal was not kept as an answer')
})

t.test('requests at once do not pass the limit together, and another’s are not held up by it', async (t) => {
  const { db, order, waiting } = await scene(t)
  const other = await testOrg(db, ['files:write'], { plan: 'unlimited' })
  const many = Array.from({ length: 60 }, (_, i) => i)
  const replies = await Promise.all(
    many.map((i) => order(`order ${i}`, { path: '/orders/grouped', ...(i % 2 && { key: other.keys.main }) })),
  )
  const statuses = (odd: number) => replies.filter((_, i) => i % 2 === odd).map(({ status }) => status)
  t.ok(statuses(1).every((status) => status === 202))
  const accepted = statuses(0).filter((status) => status === 202).length
  t.equal(statuses(0).filter((status) => status === 429).length, 30 - accepted)
  t.equal(await waiting(), accepted)
  // A committed request without a response can count twice for a moment, so fewer can pass, but never more.
  t.ok(accepted > 0 && accepted <= most, `${accepted} were accepted`)
  for (let i = accepted; i < most; i++) t.equal((await order(`later ${i}`)).status, 202)
  t.equal((await order('one too many')).status, 429)
  t.equal(await waiting(), most)
})

t.test(
  'of several processes, each passes the limit by no more than it accepts before it hears of the others',
  async (t) => {
    const { url, db, keys, waiting } = await scene(t)
    const module = new URL('./orders.ts', import.meta.url).href
    const urls = [await ingressProcess(t, url, module), await ingressProcess(t, url, module)]
    const order = (base: string) => askOf(base, 'POST /v1/orders', { key: keys.main, body: { name: 'order' } })
    await Promise.all(urls.flatMap((base) => Array.from({ length: 20 }, () => order(base))))
    const full = await waiting()
    t.ok(full >= most && full <= most * urls.length, `${full} were accepted`)
    for (const base of urls) await until(async () => (await order(base)).status === 429)
    const settled = await waiting()
    const replies = await Promise.all(urls.map(order))
    t.strictSame(
      replies.map(({ status }) => status),
      [429, 429],
    )
    t.equal(await waiting(), settled)
    // The process can reject from its own count before it has written it.
    await until(() => db.exists(sql.unsafe`select from jobs.shares where waiting >= ${most}`), {
      what: 'the shares have it',
    })
  },
)

t.test('the documents say so, and a declaration that cannot keep it is refused at start', async (t) => {
  const { ask } = await scene(t)
  const { body } = await ask('GET /v1/openapi.json')
  const { responses } = body.paths['/v1/orders'].post
  t.match(responses['429'].description, /waiting jobs have reached/)
  t.ok(responses['429'].headers['retry-after'])
  t.throws(
    () =>
      route({
        method: 'POST',
        path: '/x',
        summary: 'X',
        public: true,
        status: 204,
        enqueues: plain,
        async handle() {},
      }),
    /enqueues/,
  )
})
