import '../support/work-environment.ts'
import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { fireDue } from '#tasks/work/rules/schedules/fire.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const { ask, db, orgId, create } = await workStack(t)
const [plan] = await plans.list(db)
await plans.put(db, { ...(plan as plans.Plan), name: 'few', waiting_jobs: 1 })
await db.query(sql.typeAlias('void')`update account.orgs set plan = 'few' where id = ${orgId}`)

const url = 'https://example.com/run'

t.test('a due run that the plan does not allow is tried again, and costs others nothing', async (t) => {
  const { id } = (await ask('POST /v1/jobs/schedules', { body: { name: 'a', every: 3_600, job: { url } } })).body
  const makeDue = (seconds: number) =>
    db.query(sql.typeAlias('void')`
      update work.schedules set next_run_at = now() - ${seconds} * interval '1 second', retry_at = null where id = ${id}`)
  const jobs = Array.from({ length: 100 }, () => ({ url, delay: 3_600 }))
  const { data } = (await ask('POST /v1/jobs/batch', { body: { jobs } })).body
  t.equal((await create('/more')).status, 429)
  await makeDue(60)
  t.equal(await fireDue(db), 1)
  const limited = (await ask(`GET /v1/jobs/schedules/${id}`)).body
  t.match(limited, { state: 'active', last_run_at: null, last_error: { message: /Your plan allows 100 jobs/ } })
  t.ok(new Date(limited.next_run_at) < new Date(), 'the run is still due')
  t.equal(await fireDue(db), 0, 'no other try in the meantime')

  for (const job of data.slice(0, 10)) await ask(`POST /v1/jobs/${job.id}/cancel`)
  await until(async () => (await create('/room', { delay: 3_600 })).status === 201, { what: 'room is known' })
  await db.query(sql.typeAlias('void')`update work.schedules set retry_at = now() where id = ${id}`)
  t.equal(await fireDue(db), 1)
  t.match((await ask(`GET /v1/jobs/schedules/${id}`)).body, {
    ...{ last_error: null, last_run_at: limited.next_run_at },
    last_jobs: [{ scheduled_for: limited.next_run_at }],
  })
})
