import pg from 'pg'
import t from 'tap'
import { counter, histogram, renderMetrics, watchedCounter, watchedGauge } from '#lib/telemetry/metrics.ts'
import { serveMetrics } from '#lib/telemetry/metrics-server.ts'
import { openPool, sql } from '#sql/db.ts'
import { rollUp } from '#tasks/jobs/roll-up.ts'
import { pause } from '#tasks/jobs/rules/controls.ts'
import { poolNames } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { observeQueues } from '#tasks/queue/gauges.ts'
import { testDatabase } from '../support/database.ts'

const linesOf = async (name: string) =>
  (await renderMetrics('prometheus')).split('\n').filter((l) => l.startsWith(name))

t.test('a histogram counts each value in every bucket that it fits', async (t) => {
  const seconds = histogram('test_seconds', 'A test.', [0.1, 1])
  for (const value of [0.1, 0.5, 7]) seconds.with({ task: 'a"b' }).observe(value)
  seconds.with({ task: 'c' }).observe(0)
  t.strictSame(await linesOf('test_seconds'), [
    'test_seconds_bucket{task="a\\"b",le="0.1"} 1',
    'test_seconds_bucket{task="a\\"b",le="1"} 2',
    'test_seconds_bucket{task="a\\"b",le="+Inf"} 3',
    'test_seconds_sum{task="a\\"b"} 7.6',
    'test_seconds_count{task="a\\"b"} 3',
    'test_seconds_bucket{task="c",le="0.1"} 1',
    'test_seconds_bucket{task="c",le="1"} 1',
    'test_seconds_bucket{task="c",le="+Inf"} 1',
    'test_seconds_sum{task="c"} 0',
    'test_seconds_count{task="c"} 1',
  ])
})

t.test('watched metrics are read at each scrape; one that fails hides no other', async (t) => {
  const level = watchedGauge('test_level', 'A test.', ['of'])
  const total = watchedCounter('test_events_total', 'A test.', [])
  let now = 1
  const stop = level.watch(() => [{ labels: { of: 'a' }, value: now }])
  level.watch(async () => {
    throw new Error('no reading')
  })
  total.watch(() => [{ labels: {}, value: now * 10 }])
  t.strictSame(await linesOf('test_level'), ['test_level{of="a"} 1'])
  now = 2
  t.strictSame(await linesOf('test_level'), ['test_level{of="a"} 2'])
  t.strictSame(await linesOf('test_events_total'), ['test_events_total 20'])
  stop()
  t.strictSame(await linesOf('test_level'), [])
})

t.test('metrics are text for Prometheus, OpenMetrics when asked for, and nothing without the token', async (t) => {
  counter('test_asked_total', 'A test.', ['by']).inc({ by: 'me' })
  const token = '0123456789abcdef'
  const server = await serveMetrics({ host: '127.0.0.1', port: 0, token })
  t.teardown(() => server.close())
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
  const authorization = `Bearer ${token}`

  for (const headers of [{}, { authorization: 'Bearer 0123456789abcdeF' }, { authorization: token }]) {
    const refused = await get('/metrics', headers as Record<string, string>)
    t.equal(refused.status, 401)
    t.notMatch(await refused.text(), 'test_asked')
  }
  const plain = await get('/metrics', { authorization })
  t.match(plain.headers.get('content-type'), 'text/plain; version=0.0.4')
  const text = await plain.text()
  t.match(text, '# TYPE test_asked_total counter\ntest_asked_total{by="me"} 1\n')
  t.match(text, 'process_cpu_seconds_total')

  const open = await get('/metrics', { authorization, accept: 'application/openmetrics-text; version=1.0.0' })
  t.match(open.headers.get('content-type'), 'application/openmetrics-text')
  const openText = await open.text()
  t.match(openText, '# TYPE test_asked counter\ntest_asked_total{by="me"} 1\n')
  t.ok(openText.endsWith('\n# EOF\n'))
  t.notMatch(openText, '\n\n')
  t.match(await (await get('/metrics', { authorization })).text(), '# TYPE test_asked_total counter', 'and back again')

  t.equal((await get('/healthz')).status, 200)
  t.equal((await get('/')).status, 404)
  t.equal((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST' })).status, 405)
})

t.test('a scrape is answered while the database is away, and says so', async (t) => {
  const { url } = await testDatabase(t)
  const db = await openPool(url, 1)
  const stop = observeQueues(db)
  t.teardown(async () => stop())
  t.strictSame(await linesOf('millrace_database_up'), ['millrace_database_up 1'])
  t.match(await linesOf('millrace_workers'), ['millrace_workers{pool="core",state="alive"} 0'])
  await pause(db, { pool: 'core', task: '' }, { actor: 'test' })
  await pause(db, { pool: 'media', task: 'video/encode-chunk' }, { actor: 'test' })
  t.strictSame(await linesOf('millrace_queue_paused'), [
    ...poolNames.map((pool) => `millrace_queue_paused{pool="${pool}",task=""} ${pool === 'core' ? 1 : 0}`),
    'millrace_queue_paused{pool="media",task="video/encode-chunk"} 1',
  ])
  t.ok((await linesOf('millrace_queue_oldest_seconds')).length > 3, 'every task is told, those without jobs too')
  stop()

  await db.end()
  const again = observeQueues(db)
  t.teardown(async () => again())
  t.strictSame(await linesOf('millrace_database_up'), ['millrace_database_up 0'])
  t.strictSame(await linesOf('millrace_queue_jobs'), [])
  t.ok((await linesOf('process_cpu_seconds_total')).length)
})

t.test('a scrape tells what the last sample says, and reads no queue', async (t) => {
  const { url, db } = await testDatabase(t)
  const stop = observeQueues(db)
  t.teardown(async () => stop())
  await enqueue(db, rollUp, {})
  const of = 'pool="core",task="jobs/roll-up"'
  t.match(await linesOf(`millrace_queue_jobs{${of},state="waiting"}`), [/ 1$/], 'the first one takes a sample')
  stop()

  // For this minute and the next, so no sample is due if the minute changes.
  await db.query(sql.typeAlias('void')`truncate jobs.depths`)
  await db.query(sql.typeAlias('void')`
    insert into jobs.depths (pool, task, at, waiting, scheduled, held, running, failed, oldest_s)
    select 'core', 'jobs/roll-up', date_trunc('minute', now()) + n * interval '1 minute', 5, 4, 3, 2, 1, 60
    from generate_series(0, 1) as n`)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin; lock table jobs_core._private_jobs')
  const again = observeQueues(db)
  t.teardown(async () => again())
  const told = (await linesOf(`millrace_queue_jobs{${of}`)).map((line) => line.slice(-1))
  t.strictSame(told, ['5', '4', '3', '2', '1'])
  t.strictSame(await linesOf(`millrace_queue_oldest_seconds{${of}`), [`millrace_queue_oldest_seconds{${of}} 60`])
})
