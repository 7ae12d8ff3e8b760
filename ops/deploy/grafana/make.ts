/**
 * Generates the dashboards of areas from the declarations of metrics, operations and tasks: `node
 * ops/deploy/grafana/make.ts` writes areas/. `millrace.json` is the overview, and is written by hand.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import '#tasks/queue/gauges.ts'
import { declaredMetrics } from '#lib/telemetry/metrics.ts'
import { tasks } from '#tasks/index.ts'
import '../../../ingress/http/replica/metrics.ts'
import '../../../ingress/http/request-log/log.ts'
import '../../../workers/runtime/failure-box.ts'
import '../../../workers/runtime/statistics.ts'
import '../../../workers/runtime/slot-shares.ts'
import { areas } from '../../../ingress/areas.ts'
import { allDeclarations } from '../../../workers/pools.ts'
import { dashboard, type Row } from './panels.ts'
import { jobsRow, panelOf, processesRow, requestsRow } from './rows.ts'

/** Dashboards of parts that are not areas: their titles. */
const parts: Readonly<Record<string, string>> = {
  ingress: 'Ingress',
  queue: 'Queue and workers',
  engines: 'Engines',
  postgres: 'Postgres',
  processes: 'Processes',
  webhooks: 'Webhooks',
}

/** Task folders of dashboards whose name is not the folder. */
const folders: Readonly<Record<string, readonly string[]>> = {
  jobs: ['work'],
  bots: ['bots', 'knowledge'],
  queue: ['jobs', 'queue'],
}

/** Dashboard of a metric, by the start of its name. The first match counts. */
const owners: readonly [start: RegExp, name: string][] = [
  [/^mail_/, 'email'],
  [/^(language)_/, 'ai'],
  [/^rooms?_/, 'rooms'],
  [/^live_web$/, 'rooms'],
  [/^(guard|live|voice|trust|intake|files|mcp)_/, '$1'],
  [/^log_streams?(_|$)/, 'account'],
  [/^webhook_/, 'webhooks'],
  [/^job_calls_/, 'jobs'],
  [/^domain_/, 'video'],
  [/^(http|group|cell|request|outbound)_/, 'ingress'],
  [/^(database|replica)_/, 'postgres'],
  [/^engine_/, 'engines'],
  [/^event_loop_/, 'processes'],
  [/^(queue|worker|workers|job|share)(_|$)/, 'queue'],
]

/** Returns the name of the dashboard that shows a metric. Undefined for a metric that needs an entry in `owners`. */
export function ownerOf(metric: string): string | undefined {
  const name = metric.replace(/^millrace_/, '')
  const found = owners.find(([start]) => start.test(name))
  if (!found) return undefined
  return found[1] === '$1' ? (found[0].exec(name)?.[1] ?? '') : found[1]
}

await allDeclarations()
const metrics = declaredMetrics().toSorted((one, other) => one.name.localeCompare(other.name))
const taskFolders = new Set(tasks.map(({ name }) => name.split('/')[0] ?? ''))

function rowsOf(name: string, isArea: boolean): Row[] {
  const mine = (folders[name] ?? [name]).filter((folder) => taskFolders.has(folder))
  const own = metrics.filter((metric) => ownerOf(metric.name) === name).map(panelOf)
  return [
    ...(own.length > 0 ? [{ title: 'Own metrics', panels: own }] : []),
    ...(name === 'processes' ? [processesRow()] : []),
    ...(isArea ? [requestsRow(name)] : []),
    ...(mine.length > 0 ? [jobsRow(mine)] : []),
  ]
}

const shown = areas.filter(({ name }) => !['service', 'docs'].includes(name))

/** The dashboards by file name. */
export const dashboards: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...shown.map(({ name, title }) => [name, title, true] as const),
    ...Object.entries(parts).map(([name, title]) => [name, title, false] as const),
  ].map(([name, title, isArea]) => [
    `${name}.json`,
    `${JSON.stringify(dashboard(name, title, rowsOf(name, isArea)), null, 1)}\n`,
  ]),
)

if (import.meta.main) {
  const folder = new URL('areas/', import.meta.url)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [file, text] of Object.entries(dashboards)) await writeFile(new URL(file, folder), text)
  process.exit()
}
