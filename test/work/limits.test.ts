import '../support/work-environment.ts'
import t from 'tap'
import { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { db, server, orgId } = stack
const plan = await db.oneFirst(
  sql.type(z.object({ plan: z.string() }))`select plan from account.orgs where id = ${orgId}`,
)
const limits = (await plans.list(db)).find(({ name }) => name === plan)
if (limits) await plans.put(db, { ...limits, waiting_jobs: 1_000 })

const countOf = (status: string, group: string) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from work.jobs where status = ${status} and group_name = ${group}`)

t.test('two workers share a key without exceeding its limit, and jobs of others pass its line', async (t) => {
  let [running, most] = [0, 0]
  const passed = Promise.withResolvers<void>()
  server.answer = async ({ path }, res) => {
    if (path !== '/line') return void res.writeHead(204).end()
    most = Math.max(most, ++running)
    await passed.promise
    setTimeout(() => {
      running--
      res.writeHead(204).end()
    }, 5)
  }
  const line = Array.from({ length: 300 }, () => ({
    url: `${server.url}/line`,
    group: 'line',
    concurrency: { key: 'shared', limit: 4 },
    timeoutMs: 300_000,
  }))
  await db.transaction((tx) => createJobs(tx, orgId, line))
  const inQueue = await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from jobs_calls._private_jobs`)
  t.equal(inQueue, 4, 'only jobs with a place are in the queue')
  const workers = [await stack.startWorkers(), await stack.startWorkers()]
  const { body } = await stack.create('/passes')
  await stack.ended(body.id)
  t.equal(await countOf('completed', 'line'), 0, 'the line has not moved')
  passed.resolve()
  await until(async () => (await countOf('completed', 'line')) === 300, { timeout: 60_000, what: 'the line is over' })
  t.ok(most <= 4, `at most ${most} at the same time`)
  for (const worker of workers) await worker.stop()
})

t.test('servers of one organisation that hang harm no other organisation', async (t) => {
  const { org } = await testOrg(db, ['jobs:write'])
  const hanging: (() => void)[] = []
  server.answer = ({ path }, res) => {
    if (path === '/hangs') hanging.push(() => res.writeHead(204).end())
    else res.writeHead(204).end()
  }
  const hang = Array.from({ length: 40 }, () => ({ url: `${server.url}/hangs`, group: 'hangs', timeoutMs: 60_000 }))
  await db.transaction((tx) => createJobs(tx, orgId, hang))
  const workers = await stack.startWorkers({ concurrency: 16 })
  await until(() => hanging.length >= 4, { what: 'the share is used' })
  const quick = Array.from({ length: 100 }, () => ({ url: `${server.url}/quick`, group: 'quick' }))
  const begun = performance.now()
  await db.transaction((tx) => createJobs(tx, org.id, quick))
  await until(async () => (await countOf('completed', 'quick')) === 100, { timeout: 30_000, what: 'the others end' })
  t.ok(
    hanging.length <= 8,
    `${hanging.length} requests hang, ${Math.round(performance.now() - begun)} ms for the others`,
  )
  const release = setInterval(() => {
    for (const end of hanging.splice(0)) end()
  }, 10)
  await until(async () => (await countOf('completed', 'hangs')) === 40, { timeout: 60_000, what: 'all end' })
  clearInterval(release)
  await workers.stop()
})

t.test('the plan limits the jobs that have not ended, including future ones', async (t) => {
  const { org } = await testOrg(db, ['jobs:write'])
  await plans.put(db, { ...(limits as plans.Plan), name: 'few', waiting_jobs: 1 })
  await db.query(sql.typeAlias('void')`update account.orgs set plan = 'few' where id = ${org.id}`)
  const future = { url: `${server.url}/future`, runAt: new Date(Date.now() + 86_400_000) }
  const create = (count: number) => db.transaction((tx) => createJobs(tx, org.id, Array(count).fill(future)))
  await create(100)
  const refused = await create(1).catch((error: Problem) => error)
  t.match(refused, { status: 429, details: { limit: 'waiting_jobs', max: 100 } })
  t.equal(
    await db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int as count from work.jobs where org_id = ${org.id}`),
    100,
  )
})
