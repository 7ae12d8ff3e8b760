import type { Command } from 'commander'
import { maskText } from '#lib/mask.ts'
import * as jobs from '#sql/jobs/list.ts'
import { describeJob, type JobDescription } from '#tasks/jobs/rules/describe.ts'
import { queues } from '#tasks/pools.ts'
import { type FilterOptions, readFilter, withFilters } from './filters.ts'
import { type Column, dim, json, line, list, red, short, state, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('jobs').description('list jobs, newest first; `jobs show ID` shows one job')
  withFilters(command.command('list', { isDefault: true }).description('list jobs, newest first'))
    .option('-n, --limit <number>', 'maximum number of jobs, up to 500', '50')
    .option('--cursor <cursor>', 'continue after the end of an earlier list')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('show')
    .description('show the payload with secrets masked, attempts, worker, progress, trace and request of a job')
    .argument('<id>', 'job, as POOL:NUMBER (such as core:12) or the run ID')
    .option('--json', 'print JSON')
    .action(runShow)
}

type ListOptions = FilterOptions & { limit: string; cursor?: string; json?: boolean }

async function runList(options: ListOptions): Promise<void> {
  const faults = new OptionErrors()
  const limit = faults.read('--limit', options.limit, readLimit) ?? 0
  const page = await withDatabase(async (db) => {
    const filter = await readFilter(db, options, faults)
    return await jobs.list(db, queues, filter, { limit, cursor: options.cursor }).catch((error: Error) => {
      throw error instanceof jobs.BadCursorError ? new UsageError(`--cursor: ${error.message}`) : error
    })
  })
  const shown = page.jobs.map((job) => ({ ...job, error: job.error && maskText(job.error) }))
  if (options.json) return json({ ...page, jobs: shown })
  table(shown, columns, 'No matching jobs.')
  if (page.next) line(dim(`more with --cursor ${page.next}`))
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) throw new UsageError('must be a whole number from 1 to 500')
  return limit
}

const columns: Column<jobs.JobSummary>[] = [
  { heading: 'JOB', text: ({ name }) => name },
  { heading: 'TASK', text: ({ task }) => task },
  { heading: 'STATE', text: (job) => state(job.state) },
  {
    heading: 'TRIES',
    right: true,
    text: ({ attempts, max_attempts }) => `${attempts}${max_attempts ? `/${max_attempts}` : ''}`,
  },
  { heading: 'ADDED', right: true, text: ({ created_at }) => when(created_at) },
  { heading: 'DUE', right: true, text: ({ due_at }) => (due_at ? when(due_at) : '-') },
  { heading: 'AT', right: true, text: (job) => (job.state === 'running' && job.run_id ? percent(job.progress) : '') },
  { heading: 'HOST', text: ({ host }) => host ?? '' },
  { heading: 'ERROR', text: ({ error }) => (error ? short(error, 60) : '') },
]

const percent = (fraction: number | null) => `${Math.round((fraction ?? 0) * 100)} %`

async function runShow(name: string, options: { json?: boolean }): Promise<void> {
  const job = await withDatabase((db) => describeJob(db, name))
  if (options.json) return json(job)
  list(facts(job))
  line('')
  line(`payload ${JSON.stringify(job.payload, null, 2)}`)
  if (job.result !== null) line(`result ${JSON.stringify(job.result, null, 2)}`)
  line('')
  table(job.attempts, attemptColumns, 'No attempts recorded.')
}

const instant = (at: Date | null) => at && `${at.toISOString()} (${when(at)})`

const facts = (job: JobDescription): [string, string | number | null][] => [
  ['job', job.name],
  ['run', job.run_id],
  ['task', job.task],
  ['pool', job.pool],
  ['state', state(job.state)],
  ['error', job.error && red(job.error)],
  ['attempt', `${job.attempt}${job.max_attempts ? ` of ${job.max_attempts}` : ''}`],
  ['progress', job.progress === null ? null : percent(job.progress)],
  ['worker', job.worker && `${job.worker.host}, process ${job.worker.pid} (${job.worker.state})`],
  ['organisation', job.org_name ? `${job.org_name} (${job.org_id})` : job.org_id],
  ['subject', job.subject],
  ['request', job.request_id],
  ['trace', job.trace],
  ['key', job.key],
  ['priority', job.priority],
  ['added', instant(job.created_at)],
  ['due', instant(job.due_at)],
  ['started', instant(job.started_at)],
  ['finished', instant(job.finished_at)],
  ['cancel asked', instant(job.cancel_requested_at)],
]

const attemptColumns: Column<JobDescription['attempts'][number]>[] = [
  { heading: 'ATTEMPT', right: true, text: ({ attempt }) => String(attempt) },
  { heading: 'STARTED', text: ({ started_at }) => started_at.toISOString() },
  {
    heading: 'TOOK',
    right: true,
    text: ({ started_at, ended_at }) =>
      ended_at ? `${((ended_at.getTime() - started_at.getTime()) / 1000).toFixed(2)} s` : 'runs',
  },
  { heading: 'OUTCOME', text: ({ outcome }) => outcome ?? '' },
  { heading: 'HOST', text: ({ host, pid }) => (host ? `${host}/${pid}` : '') },
  { heading: 'ERROR', text: ({ error }) => error ?? '' },
]
