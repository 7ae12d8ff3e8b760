import '../support/work-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { fireDue } from '#tasks/work/rules/schedules/fire.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { server, ask, db } = stack

let made = 0
const create = (more: object = {}, job: object = {}) =>
  ask('POST /v1/jobs/schedules', {
    body: {
      name: `schedule-${made++}`,
      ...('every' in more ? {} : { cron: '0 9 * * 1-5' }),
      job: { url: `${server.url}/run`, ...job },
      ...more,
    },
  })

/** Makes the next run of a schedule due for so many seconds. */
const makeDue = (id: string, seconds: number) =>
  db.query(sql.typeAlias('void')`
    update work.schedules set next_run_at = date_trunc('minute', now()) - ${seconds} * interval '1 second'
    where id = ${id}`)

const jobsOf = async (id: string) => (await ask(`GET /v1/jobs?origin_id=${id}&limit=100`)).body.data

const read = async (id: string) => (await ask(`GET /v1/jobs/schedules/${id}`)).body

t.test('a schedule shows its next runs, and its job without secrets', async (t) => {
  const { status, body } = await create(
    { cron: '30 2 * * *', time_zone: 'Europe/Berlin', starts_at: '2030-03-30T12:00:00Z', missed: 'once' },
    { headers: { authorization: 'Bearer secret' }, body: { a: 1 }, concurrency: { key: 'k', limit: 1 }, group: 'g' },
  )
  t.equal(status, 201, JSON.stringify(body))
  t.match(body, {
    state: 'active',
    cron: '30 2 * * *',
    time_zone: 'Europe/Berlin',
    missed: 'once',
    next_run_at: '2030-03-31T01:00:00.000Z',
    next_runs: ['2030-03-31T01:00:00.000Z', '2030-04-01T00:30:00.000Z', String, String, String],
    job: { method: 'POST', headers: { authorization: '[masked]' }, body: { a: 1 }, group: 'g', timeout: 30 },
    last_jobs: [],
  })
  t.notMatch(JSON.stringify(body), /Bearer secret/)
  t.match(await create({ name: body.name }), { status: 409, body: { error: { code: 'name_taken' } } })
  t.match(
    await ask('POST /v1/jobs/schedules/preview', {
      body: { cron: '0 9 * * 1-5', time_zone: 'Europe/Vienna', after: '2030-06-01T00:00:00Z', count: 2 },
    }),
    { status: 200, body: { next_runs: ['2030-06-03T07:00:00.000Z', '2030-06-04T07:00:00.000Z'] } },
  )
})

t.test('each due run creates one job, whatever workers look for it', async (t) => {
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await create({ cron: '* * * * *' })).body.id)
  for (const id of ids) await makeDue(id, 0)
  await Promise.all(Array.from({ length: 6 }, () => fireDue(db)))
  for (const id of ids) {
    const jobs = await jobsOf(id)
    t.equal(jobs.length, 1)
    t.match(jobs[0], { origin: { kind: 'schedule', id }, scheduled_for: /:00\.000Z$/ })
    const schedule = await read(id)
    t.match(schedule, { last_run_at: jobs[0].scheduled_for, last_jobs: [{ id: jobs[0].id }], last_error: null })
    t.ok(Date.parse(schedule.next_run_at) > Date.now())
  }
})

t.test('runs that are less than 5 minutes late are not missed', async (t) => {
  const { body } = await create({ cron: '* * * * *' })
  await makeDue(body.id, 180)
  while ((await fireDue(db)) > 0);
  const times = (await jobsOf(body.id)).map(({ scheduled_for }: { scheduled_for: string }) => scheduled_for)
  t.ok(times.length === 4 || times.length === 5, `${times.length} runs`)
  t.equal(new Set(times).size, times.length)
})

t.test('missed runs are skipped, or run once', async (t) => {
  const skip = (await create({ cron: '*/30 * * * *', missed: 'skip' })).body
  const once = (await create({ cron: '*/30 * * * *', missed: 'once' })).body
  for (const { id } of [skip, once])
    await db.query(sql.typeAlias('void')`
      update work.schedules set next_run_at = date_trunc('hour', now()) - interval '3 hours' where id = ${id}`)
  while ((await fireDue(db)) > 0);
  const isJustDue = Date.now() % 1_800_000 < 300_000
  t.equal((await jobsOf(skip.id)).length, isJustDue ? 1 : 0)
  const jobs = await jobsOf(once.id)
  t.equal(jobs.length, 1)
  t.ok(Date.now() - Date.parse(jobs[0].scheduled_for) <= 1_800_000 + 60_000, 'the latest missed run')
  for (const { id } of [skip, once]) t.ok(Date.parse((await read(id)).next_run_at) > Date.now())
})

t.test('a paused schedule does not run, and resumes with its next run', async (t) => {
  const { body } = await create({ every: 3_600, paused: true })
  t.match(body, { state: 'paused', next_run_at: null, next_runs: { length: 5 } })
  t.match(await ask(`POST /v1/jobs/schedules/${body.id}/resume`), { status: 200, body: { state: 'active' } })
  t.match(await ask(`POST /v1/jobs/schedules/${body.id}/pause`), { body: { state: 'paused', next_run_at: null } })
  t.match(await ask(`POST /v1/jobs/schedules/${body.id}/pause`), { body: { state: 'paused' } })
  const triggered = await ask(`POST /v1/jobs/schedules/${body.id}/trigger`)
  t.match(triggered, { status: 201, body: { origin: { kind: 'schedule', id: body.id }, scheduled_for: String } })
})

t.test('a change of the time applies from now on', async (t) => {
  const { body } = await create({ cron: '0 0 1 1 *', ends_at: '2031-01-01T00:00:00Z' })
  const path = `/v1/jobs/schedules/${body.id}`
  const changed = await ask(`PATCH ${path}`, {
    body: { every: 7_200, starts_at: '2030-06-01T00:00:00Z', name: 'renamed', job: { url: `${server.url}/other` } },
  })
  t.match(changed, {
    status: 200,
    body: {
      name: 'renamed',
      cron: null,
      every: 7_200,
      next_runs: ['2030-06-01T00:00:00.000Z', '2030-06-01T02:00:00.000Z', String, String, String],
      ends_at: '2031-01-01T00:00:00.000Z',
      job: { url: `${server.url}/other`, headers: {} },
    },
  })
  t.match(await ask(`PATCH ${path}`, { body: { ends_at: '2020-01-01T00:00:00Z' } }), { status: 400 })
  t.match(await ask(`PATCH ${path}`, { body: { ends_at: null } }), { status: 200, body: { ends_at: null } })
  t.match(await ask(`DELETE ${path}`), { status: 200, body: { id: body.id, deleted: true } })
  t.match(await ask(`GET ${path}`), { status: 404 })
})

t.test('a schedule ends with its last run', async (t) => {
  const { body } = await create({ every: 60, ends_at: new Date(Date.now() + 90_000).toISOString() })
  await db.query(sql.typeAlias('void')`
    update work.schedules set next_run_at = now(), ends_at = now() + interval '1 second' where id = ${body.id}`)
  await fireDue(db)
  t.match(await read(body.id), { state: 'ended', next_run_at: null, next_runs: [], last_jobs: { length: 1 } })
  t.match(await ask(`POST /v1/jobs/schedules/${body.id}/resume`), { status: 409 })
  t.match((await ask('GET /v1/jobs/schedules?state=ended')).body.data, [{ id: body.id }])
})

t.test('a schedule that cannot be read is paused, and harms no other', async (t) => {
  const bad = (await create({ every: 60 })).body
  const good = (await create({ every: 60 })).body
  await db.query(sql.typeAlias('void')`
    update work.schedules set every_seconds = null, cron = '* * * * 9' where id = ${bad.id}`)
  for (const { id } of [bad, good]) await makeDue(id, 0)
  await fireDue(db)
  t.equal((await jobsOf(good.id)).length, 1)
  const [row] = (await ask('GET /v1/jobs/schedules?state=paused')).body.data.filter(
    ({ id }: { id: string }) => id === bad.id,
  )
  t.match(row, { last_error: { code: 'run_failed', message: /Update the schedule/ } })
  t.match(await read(bad.id), { state: 'paused', next_runs: [] })
})

t.test('a worker runs a schedule at its time, with the time in a header', async (t) => {
  await stack.startWorkers()
  await stack.startWorkers()
  server.received.length = 0
  const startsAt = new Date(Date.now() + 5_000).toISOString()
  const { body } = await create({ every: 60, starts_at: startsAt }, { url: `${server.url}/on-time` })
  const [request, ...more] = await server.has(1, '/on-time')
  t.same(more, [])
  t.match(request?.headers, { 'millrace-scheduled-for': startsAt })
  const late = (request?.at ?? 0) - Date.parse(startsAt)
  t.ok(late >= 0 && late < 30_000, `${late} ms late`)
  await until(async () => (await jobsOf(body.id))[0]?.status === 'completed')
  t.match(await read(body.id), { last_run_at: startsAt, last_jobs: [{ status: 'completed', scheduled_for: startsAt }] })
})

t.test('a triggered run has the time of the request', async (t) => {
  const { id } = (await create({ every: 3_600 })).body
  const before = Date.now()
  const { status, body } = await ask(`POST /v1/jobs/schedules/${id}/trigger`)
  t.equal(status, 201)
  t.ok(new Date(body.scheduled_for).getTime() >= before)
  t.match((await ask(`GET /v1/jobs/schedules/${id}`)).body, { last_run_at: null, last_jobs: [{ id: body.id }] })
})
