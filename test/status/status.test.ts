import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Tools } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { measure } from '#tasks/status/measure.ts'
import { provide } from '../../ingress/http/container.ts'
import { createBoard, statusBoard } from '../../ingress/status/board.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { commandLine } from '../support/millrace.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)

const { db, url } = await testDatabase(t)
const { org } = await testOrg(db, ['email:send'])
const millrace = commandLine(url)
const settings = { concurrency: 1, fetchAhead: 0 }
// The test starts each measurement, so the task has no schedule.
const tasks = [{ ...measure, cron: undefined }]
const plan = { pool: 'core' as const, settings, tasks, tools: {} as Tools['core'] }
const fleet = await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => {})
t.teardown(() => fleet.stop())

const options = { only: ['status', 'email', 'jobs'] }
/** Does not share measurements between requests. */
const ingress = await testIngress(t, db, [], { ...options, services: [provide(statusBoard, createBoard(db, 0))] })
const read = (path = '/status.json') => ingress.ask(`GET ${path}`)

/** Measures one minute after the last measurement. */
async function measureNext() {
  await db.query(sql.typeAlias('void')`
    update status.areas set measured_at = measured_at - interval '1 minute'`)
  const before = await minutes()
  await enqueue(db, measure, {})
  await until(async () => (await minutes()) > before, { what: 'the minute is measured' })
}

/** Number of measured minutes of today and yesterday. */
async function minutes(): Promise<number> {
  const [{ days }] = (await read()).body.areas
  return days.at(-1).measured + days.at(-2).measured
}

async function failRequests(
  count: number,
  { status = 500, code = 'internal', operation = 'email.messages.send' } = {},
) {
  for (let i = 0; i < count; i++) {
    await db.query(sql.typeAlias('void')`
      insert into account.requests (id, org_id, key_id, operation, status, code, ms, network, jobs)
      values (${newId()}, ${org.id}, ${newId()}, ${operation}, ${status}, ${code}, 1, '10.0.0.0/24', '{}')`)
  }
}

const areaOf = async (wanted: string) => (await read()).body.areas.find(({ name }: { name: string }) => name === wanted)

const oldJobs = (task: string, pool: string) =>
  db.query(sql.typeAlias('void')`
    insert into jobs.depths (pool, task, at, waiting, scheduled, held, running, failed, oldest_s)
    values (${pool}, ${task}, date_trunc('minute', now()), 3, 0, 0, 0, 0, 1000)
    on conflict do nothing`)

const noJobs = () => db.query(sql.typeAlias('void')`delete from jobs.depths`)

t.test('without a measurement, the state is unknown', async (t) => {
  const { status, body } = await read()
  t.equal(status, 200)
  t.match(body, { state: 'unknown', measured_at: null, incidents: [] })
  t.equal(body.areas[0].uptime, null)
  t.equal(body.areas[0].days.length, 90)
  t.match((await read('/status')).text, /Nothing was measured yet/)
})

t.test('errors of other services and missing settings are not problems of an area', async (t) => {
  await failRequests(20, { status: 503, code: 'not_configured' })
  await failRequests(20, { status: 502, code: 'provider_failed' })
  await failRequests(20, { status: 504, code: 'server_error' })
  await failRequests(9)
  await measureNext()
  await measureNext()
  t.match(await areaOf('email'), { state: 'ok', reason: null, since: null, uptime: 100 })
})

t.test('failing requests are shown after two minutes, and end after three good minutes', async (t) => {
  await failRequests(12)
  await measureNext()
  t.match(await areaOf('email'), { state: 'ok' })
  await measureNext()
  t.match(await areaOf('email'), { state: 'down', reason: 'failing' })
  t.match((await read()).body, { state: 'down', incidents: [{ kind: 'down', areas: ['email'], ended_at: null }] })
  t.match((await read('/status')).text, /Down: Email\./)
  await db.query(sql.typeAlias('void')`delete from account.requests`)
  for (const _ of [1, 2]) await measureNext()
  t.match(await areaOf('email'), { state: 'down' })
  await measureNext()
  const email = await areaOf('email')
  t.match(email, { state: 'ok', reason: null })
  t.ok(email.uptime < 100, String(email.uptime))
  const [{ ended_at, updates, automatic }] = (await read()).body.incidents
  t.match({ updates, automatic }, { updates: [{}, { text: /no problem/ }], automatic: true })
  t.ok(ended_at)
})

t.test('old jobs without attempts are an outage, with attempts they are late', async (t) => {
  await oldJobs('work/call', 'calls')
  await measureNext()
  await measureNext()
  t.match(await areaOf('jobs'), { state: 'down', reason: 'stopped' })
  await db.query(sql.typeAlias('void')`
    insert into jobs.minutes (pool, task, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms)
    values ('calls', 'work/call', date_trunc('minute', now()), 1, 0, 0, 0, 0, 0, 0, 0, 0)`)
  await oldJobs('work/call', 'calls')
  await measureNext()
  t.match(await areaOf('jobs'), { state: 'degraded', reason: 'waiting' })
  t.match((await read()).body.incidents[0], { areas: ['jobs'], kind: 'degraded', updates: [{}, {}] })
  await noJobs()
  for (const _ of [1, 2, 3]) await measureNext()
  t.match(await areaOf('jobs'), { state: 'ok' })
})

t.test('bulk email can wait', async (t) => {
  await oldJobs('email/deliver-campaign', 'mail-campaign')
  await db.query(sql.typeAlias('void')`
    insert into jobs.minutes (pool, task, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms)
    values ('mail-campaign', 'email/deliver-campaign', date_trunc('minute', now()), 1, 0, 0, 0, 0, 0, 0, 0, 0)`)
  for (const _ of [1, 2]) await measureNext()
  t.match(await areaOf('email'), { state: 'ok' })
  await noJobs()
})

t.test('an operator announces, updates and ends an incident', async (t) => {
  const texts = ['--title', ' ', '--text', 'x'.repeat(2001)]
  const wrong = await millrace.run(['status', 'announce', ...texts, '--areas', 'email,emial'])
  t.equal(wrong.code, 1)
  t.match(wrong.err, /--title is empty\.\n--text has 2001 characters/)
  t.match(wrong.err, /--areas has unknown areas: emial\. The areas are .*email, /)
  const title = 'New <database>'
  const given = [
    'status',
    'announce',
    '--title',
    title,
    '--text',
    'Email is late.',
    '--areas',
    'email, push, email',
    '--kind',
  ]
  const { id } = await millrace.ask([...given, 'maintenance'])
  t.match((await read()).body.incidents[0], { id, areas: ['email', 'push'], kind: 'maintenance', title })
  t.match((await read('/status')).text, /Maintenance: New &lt;database&gt;/)
  t.match((await millrace.run(['status', 'update', newId(), '--text', 'x'])).err, /No open incident has the ID/)
  t.match((await millrace.run(['status', 'update', 'x', '--text', 'x'])).err, /ID of the incident is invalid/)
  await millrace.ask(['status', 'update', id, '--text', 'It works & is fast.', '--end'])
  t.match((await millrace.run(['status', 'update', id, '--text', 'x', '--end'])).err, /No open incident has the ID/)
  const feed = await read('/status.atom')
  t.match(feed.headers.get('content-type'), /application\/atom\+xml/)
  t.match(feed.text, /<title[^>]*><!\[CDATA\[Maintenance: New <database>\]\]>/)
  t.match(feed.text, /It works &amp; is fast\./)
  t.match((await millrace.run('status')).out, /maintenance +email,push/)
})

t.test('without Postgres, the page says so', async (t) => {
  const { db: gone } = await testDatabase(t)
  const ingress = await testIngress(t, gone, [], { only: ['status'] })
  await gone.query(sql.typeAlias('void')`drop schema status cascade`)
  const { status, text } = await ingress.ask('GET /status')
  t.equal(status, 200)
  t.match(text, /The database does not answer/)
  t.match((await ingress.ask('GET /status.json')).body, { state: 'unknown' })
})

t.test('an old measurement is not reported as good', async (t) => {
  await db.query(sql.typeAlias('void')`update status.areas set measured_at = now() - interval '6 minutes'`)
  t.match((await read()).body, { state: 'unknown' })
  t.match((await read('/status')).text, /older than five minutes/)
})
