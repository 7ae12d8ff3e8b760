import { readFile } from 'node:fs/promises'
import t from 'tap'
import { openPool } from '#sql/db.ts'
import { rollUp } from '#tasks/jobs/roll-up.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import { until } from '../support/until.ts'

const deploy = (path: string) => readFile(new URL(`../../ops/deploy/${path}`, import.meta.url), 'utf8')

/** Words of PromQL that look like metrics. */
const family = (name: string) => name.replace(/_(bucket|sum|count)$/, '')

/** The families of metrics that expressions ask for; `up` is Prometheus' own. */
function asked(expressions: string[]): Set<string> {
  const bare = expressions.join('\n').replace(/"[^"]*"/g, '')
  return new Set((bare.match(/\b(millrace|process|nodejs)_[a-z0-9_]+/g) ?? []).map(family))
}

const stack = new Stack(await dataFolder(t), await freePort())
const facts = await stack.ready()
const scrape = async (of: 'ingress_metrics' | 'workers_metrics') =>
  await (await fetch(`http://127.0.0.1:${facts.ports[of]}/metrics`)).text()
const told = (text: string) => new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => family(name ?? '')))

t.test('what the dashboard and the alerts ask for is what a running stack tells', async (t) => {
  const all = new Set([...told(await scrape('ingress_metrics')), ...told(await scrape('workers_metrics'))])
  const dashboard = JSON.parse(await deploy('grafana/millrace.json'))
  const panels: { title: string; targets?: { expr: string }[] }[] = dashboard.panels
  const variables: { query: { query: string } | string }[] = dashboard.templating.list
  const queries = variables.map(({ query }) => (typeof query === 'string' ? query : query.query))
  const shown = asked([...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...queries])
  const alerted = asked(
    [...(await deploy('prometheus/alerts.yml')).matchAll(/expr: ([\s\S]*?)\n {8}\w/g)].map(([, e]) => e ?? ''),
  )
  t.ok(shown.size > 15 && alerted.size > 8)
  for (const name of [...shown, ...alerted]) t.ok(all.has(name), name)
  const ours = [...all].filter((name) => name.startsWith('millrace_'))
  for (const name of ours) t.ok(shown.has(name), `the dashboard shows ${name}`)
})

t.test('what is not there has no reading that an alert could take for a fault', async (t) => {
  t.notMatch(await scrape('ingress_metrics'), /^millrace_replica_/m, 'an installation without a replica')
})

t.test('requests and jobs are counted by what was declared, and strangers name no series', async (t) => {
  const headers = { authorization: `Bearer ${facts.keys.stream}` }
  for (let i = 0; i < 3; i++) await fetch(`${facts.base_url}/v1/stream/assets`, { headers })
  await fetch(`${facts.base_url}/v1/stream/assets`)
  await fetch(`${facts.base_url}/v1/no/such/path-of-a-stranger`)
  const ingress = await scrape('ingress_metrics')
  t.match(ingress, 'millrace_http_requests_total{operation="video.assets.list",status="200"} 3\n')
  t.match(ingress, 'millrace_http_requests_total{operation="video.assets.list",status="401"} 1\n')
  t.match(ingress, 'millrace_http_request_duration_seconds_count{operation="video.assets.list",status="2xx"} 3\n')
  t.match(ingress, 'millrace_http_requests_total{operation="none",status="404"} 1\n')
  t.notMatch(ingress, 'stranger')
  t.match(ingress, /^millrace_http_requests_in_flight 0$/m)

  const db = await openPool(facts.database_url, 1)
  t.teardown(() => db.end())
  await enqueue(db, rollUp, {})
  const labels = 'pool="core",task="jobs/roll-up"'
  const workers = await until(async () => {
    const text = await scrape('workers_metrics')
    return new RegExp(`^millrace_job_attempts_total\\{${labels},outcome="done"\\} [1-9]`, 'm').test(text) && text
  })
  t.match(workers, new RegExp(`^millrace_job_run_seconds_count\\{${labels}\\} [1-9]`, 'm'))
  t.match(workers, new RegExp(`^millrace_job_wait_seconds_bucket\\{${labels},le="\\+Inf"\\} [1-9]`, 'm'))
  for (const text of [workers, await scrape('ingress_metrics')]) {
    t.match(text, 'millrace_workers{pool="media",state="alive"} 1\n', 'every process tells the fleet’s gauges alike')
    t.match(text, 'millrace_queue_jobs{pool="media",task="video/encode-chunk",state="waiting"} 0\n')
  }
  t.match(workers, /^millrace_worker_slots\{pool="core"\} \d+$/m)
  t.match(workers, /^millrace_engine_active\{engine="ffmpeg"\} 0$/m)
  t.ok(
    await until(async () => /^millrace_engine_queued\{engine="clamd"\} 0$/m.test(await scrape('workers_metrics'))),
    'clamd’s queue is shown as soon as clamd is available',
  )
})

t.test('clients of the API cannot reach the metrics', async (t) => {
  for (const path of ['/metrics', '/v1/metrics', '/metrics/']) {
    t.equal((await fetch(facts.base_url + path)).status, 404)
  }
})
