import '../support/work-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { cancelJob } from '#tasks/work/rules/cancel-job.ts'
import { endJobs } from '#tasks/work/rules/end-jobs.ts'
import { fireDue } from '#tasks/work/rules/schedules/fire.ts'
import { isWhole } from '../support/sample.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const { server, ask, db, orgId } = await workStack(t)

const job = (name: string, after: string[] = [], more: object = {}) => ({
  ...{ name, after, url: `${server.url}/${name}` },
  ...more,
})

interface Shown {
  id: string
  state: string
  jobs: { name: string; job_id: string; status: string }[]
}

const create = async (...jobs: object[]): Promise<Shown> => (await ask('POST /v1/jobs/flows', { body: { jobs } })).body

const end = (id: string, status: 'completed' | 'failed' = 'completed') =>
  db.transaction((tx) => endJobs(tx, [{ id, turn: null, status, attempt: null, error: null }]))

/** Returns the turns of a job: how often it was put in the queue. */
const turnsOf = (id: string) =>
  db.oneFirst(sql.typeAlias('count')`select turn as count from work.jobs where id = ${id}`)

const wide = Array.from({ length: 50 }, (_, i) => `wide-${i}`)

t.test('50 jobs that end in parallel transactions start their common dependent once', async (t) => {
  for (let round = 0; round < (isWhole ? 20 : 3); round++) {
    const flow = await create(...wide.map((name) => job(name)), job('join', wide))
    await Promise.all(flow.jobs.slice(0, 50).map(({ job_id }) => end(job_id)))
    const join = flow.jobs.at(-1)?.job_id ?? ''
    t.equal(await turnsOf(join), 1)
    t.match(await ask(`GET /v1/jobs/flows/${flow.id}`), {
      body: { jobs_count: { completed: 50, open: 1, blocked: 0 } },
    })
    await Promise.all([end(join), end(join), end(join)])
    t.match(await ask(`GET /v1/jobs/flows/${flow.id}`), { body: { state: 'completed' } })
  }
})

t.test('ends, failures and cancellations at the same time leave each flow consistent', async (t) => {
  for (let round = 0; round < (isWhole ? 20 : 3); round++) {
    const key = { concurrency: { key: `key-${round}`, limit: 2 } }
    const flow = await create(
      ...wide.slice(0, 20).map((name) => job(name, [], key)),
      ...wide.slice(0, 20).map((name) => job(`${name}-next`, [name], key)),
      job('join', wide.slice(0, 20), { on_failure: 'run' }),
      job('strict', wide.slice(0, 20)),
    )
    await Promise.all(
      flow.jobs.slice(0, 20).map(({ job_id }, n) => {
        if (n % 3 === 0) return end(job_id, 'failed')
        return n % 3 === 1 ? end(job_id) : db.transaction((tx) => cancelJob(tx, orgId, job_id))
      }),
    )
    const { body } = await ask(`GET /v1/jobs/flows/${flow.id}`)
    const status = new Map((body as Shown).jobs.map((one) => [one.name, one.status]))
    t.equal(status.get('join'), 'waiting')
    t.equal(status.get('strict'), 'skipped')
    for (let n = 0; n < 20; n++)
      t.equal(status.get(`wide-${n}-next`), n % 3 === 1 ? 'waiting' : 'skipped', `round ${round}, job ${n}`)
    const [cancelled] = await Promise.all([
      ask(`POST /v1/jobs/flows/${flow.id}/cancel`),
      ...flow.jobs.slice(20).map(({ job_id }) => end(job_id)),
    ])
    t.equal(cancelled.status, 200)
    const final = (await ask(`GET /v1/jobs/flows/${flow.id}`)).body
    t.not(final.state, 'running')
    t.match(final.jobs_count, { blocked: 0, open: 0, total: 42 })
  }
})

t.test('many schedules of one minute run once each, in batches', async (t) => {
  const { body } = await ask('POST /v1/jobs/schedules', {
    body: { name: 'template', cron: '* * * * *', job: { url: `${server.url}/many` } },
  })
  const count = isWhole ? 10_000 : 500
  await db.query(sql.typeAlias('void')`
    insert into work.schedules (id, org_id, name, cron, time_zone, job, missed, next_run_at)
    select gen_random_uuid(), org_id, name || n, cron, 'Europe/Berlin', job, missed, date_trunc('minute', now())
    from work.schedules, generate_series(1, ${count}) as n where id = ${body.id}`)
  const before = performance.now()
  const longest: number[] = []
  const run = async () => {
    for (let fired = 1; fired > 0; ) {
      const started = performance.now()
      fired = await fireDue(db)
      longest.push(performance.now() - started)
    }
  }
  await Promise.all([run(), run(), run()])
  const ms = performance.now() - before
  t.comment(`${count} schedules in ${Math.round(ms)} ms, batches of up to ${Math.round(Math.max(...longest))} ms`)
  const made = await db.oneFirst(sql.typeAlias('count')`
    select count(distinct origin_id) as count from work.jobs where origin_kind = 'schedule'`)
  const all = await db.oneFirst(sql.typeAlias('count')`
    select count(*) as count from work.jobs where origin_kind = 'schedule'`)
  t.equal(made, count)
  t.equal(all, count)
})
