import type { DeclaredMetric } from '#lib/telemetry/metrics.ts'
import type { Panel, Row } from './panels.ts'

const own = 'job=~"$job"'
const interval = '[$__rate_interval]'

/** Rate, errors and duration of the operations of an area. */
export function requestsRow(area: string): Row {
  const which = `{${own},operation=~"${area}[.].*"`
  const requests = (more = '') => `rate(millrace_http_requests_total${which}${more}}${interval})`
  const buckets = `rate(millrace_http_request_duration_seconds_bucket${which}}${interval})`
  const quantile = (share: number, by: string) => `histogram_quantile(${share}, sum by (${by}) (${buckets}))`
  return {
    title: 'Requests',
    panels: [
      {
        title: 'Requests per second',
        unit: 'reqps',
        queries: [{ expr: `topk(15, sum by (operation) (${requests()}))`, legend: '{{operation}}' }],
      },
      {
        title: 'Share of errors',
        unit: 'percentunit',
        queries: [
          { expr: `(sum(${requests(',status=~"5.."')}) or vector(0)) / sum(${requests()})`, legend: '5xx' },
          { expr: `(sum(${requests(',status=~"4.."')}) or vector(0)) / sum(${requests()})`, legend: '4xx' },
        ],
      },
      {
        title: 'Duration',
        unit: 's',
        queries: [
          { expr: quantile(0.5, 'le'), legend: 'p50' },
          { expr: quantile(0.99, 'le'), legend: 'p99' },
          { expr: `topk(5, ${quantile(0.99, 'operation, le')})`, legend: 'p99 {{operation}}' },
        ],
      },
    ],
  }
}

/** Queue and attempts of the tasks of an area. Queue gauges are the same in all processes: max, never sum. */
export function jobsRow(tasks: readonly string[]): Row {
  const which = `{${own},task=~"(${tasks.join('|')})/.*"`
  const attempts = (more = '') => `rate(millrace_job_attempts_total${which}${more}}${interval})`
  const quantile = (metric: string) =>
    `topk(10, histogram_quantile(0.95, sum by (task, le) (rate(${metric}_bucket${which}}${interval}))))`
  return {
    title: 'Jobs',
    panels: [
      {
        title: 'Waiting jobs',
        queries: [{ expr: `max by (task) (millrace_queue_jobs${which},state="waiting"}) > 0`, legend: '{{task}}' }],
      },
      {
        title: 'Oldest waiting job',
        unit: 's',
        queries: [{ expr: `max by (task) (millrace_queue_oldest_seconds${which}}) > 0`, legend: '{{task}}' }],
      },
      {
        title: 'Attempts by outcome',
        unit: 'ops',
        queries: [{ expr: `sum by (outcome) (${attempts()})`, legend: '{{outcome}}' }],
      },
      {
        title: 'Failing attempts',
        unit: 'ops',
        queries: [
          {
            expr: `sum by (task, outcome) (${attempts(',outcome=~"failed|retried"')}) > 0`,
            legend: '{{task}} {{outcome}}',
          },
        ],
      },
      {
        title: 'Wait until an attempt starts, p95',
        unit: 's',
        queries: [{ expr: quantile('millrace_job_wait_seconds'), legend: '{{task}}' }],
      },
      {
        title: 'Run time, p95',
        unit: 's',
        queries: [{ expr: quantile('millrace_job_run_seconds'), legend: '{{task}}' }],
      },
    ],
  }
}

const unitOf = (name: string): string =>
  /_seconds$/.test(name) ? 's' : /_bytes(_total)?$/.test(name) ? 'bytes' : /_total$/.test(name) ? 'ops' : 'short'

/** Returns the panel of a metric from its declaration. */
export function panelOf({ name, help, type, labels }: DeclaredMetric): Panel {
  const which = `{${own},instance=~"$instance"}`
  // Gauges of the whole fleet have the same value in all processes, and other gauges belong to one process.
  const shared = type === 'counter' || help.includes('max, not sum')
  const names = shared && labels.length > 0 ? labels : ['instance', ...labels]
  const by = ` by (${names.join(', ')}) `
  const legend = names.map((label) => `{{${label}}}`).join(' ')
  const title = help.replace(/\..*$/s, '').slice(0, 80)
  const described = { title, description: `${name}: ${help}`, unit: unitOf(name) }
  switch (type) {
    case 'counter':
      return { ...described, queries: [{ expr: `sum${by}(rate(${name}${which}${interval}))`, legend }] }
    case 'gauge':
      return { ...described, queries: [{ expr: `max${by}(${name}${which})`, legend }] }
    case 'histogram': {
      const buckets = `sum by (le) (rate(${name}_bucket${which}${interval}))`
      const query = (share: number) => ({ expr: `histogram_quantile(${share}, ${buckets})`, legend: `p${share * 100}` })
      return { ...described, queries: [query(0.5), query(0.95)] }
    }
  }
}

/** CPU, memory and starts, which every process reports by the conventions of Prometheus. */
export function processesRow(): Row {
  const which = `{${own},instance=~"$instance"}`
  const legend = '{{instance}}'
  return {
    title: 'Processes',
    panels: [
      {
        title: 'CPU',
        unit: 'percentunit',
        queries: [{ expr: `rate(process_cpu_seconds_total${which}${interval})`, legend }],
      },
      { title: 'Memory', unit: 'bytes', queries: [{ expr: `process_resident_memory_bytes${which}`, legend }] },
      {
        title: 'Starts per hour',
        queries: [{ expr: `changes(process_start_time_seconds${which}[1h])`, legend }],
      },
    ],
  }
}
