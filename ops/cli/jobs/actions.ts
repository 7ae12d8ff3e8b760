import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { DatabasePool } from '#sql/db.ts'
import type { JobAction } from '#tasks/jobs/rules/action-kinds.ts'
import {
  type ActionCounts,
  countMatchingJobs,
  describeFilter,
  type Outcome,
  performAction,
  performActionOnAll,
} from '#tasks/jobs/rules/actions.ts'
import { parseName } from '#tasks/jobs/rules/names.ts'
import { type FilterOptions, readFilter, readInstant, withFilters } from '../filters.ts'
import { json, line, number, printable } from '../output.ts'
import { progress } from '../progress.ts'
import { actor, withDatabase } from '../session.ts'
import { CommandError, OptionErrors, UsageError } from '../usage.ts'

const descriptions: Record<JobAction, string> = {
  retry: 'retry failed or cancelled jobs, with all attempts available again',
  cancel: 'cancel jobs: remove waiting jobs, and stop running jobs of tracked tasks',
  discard: 'discard failed jobs: remove them from their queue',
  reschedule: 'change the start time of waiting jobs',
}

export function declare(program: Command): void {
  for (const [action, description] of Object.entries(descriptions) as [JobAction, string][]) {
    const command = withFilters(program.command(action).description(description))
      .argument('[ids...]', 'job, as POOL:NUMBER (such as core:12) or a run ID')
      .option('--all', 'select all jobs, without a filter')
      .option('-y, --yes', 'do not prompt')
      .option('--json', 'print JSON')
    if (action === 'retry')
      command.option('--at <time>', 'time of the next attempt: now, +10m or 2030-01-31T08:00:00Z', 'now')
    if (action === 'reschedule') command.requiredOption('--at <time>', 'time: now, +10m, 2030-01-31T08:00:00Z')
    command.action((ids: string[], options: Options) => run(action, ids, options))
  }
}

type Options = FilterOptions & { at?: string; yes?: boolean; all?: boolean; json?: boolean }

async function run(action: JobAction, ids: string[], options: Options): Promise<void> {
  const faults = new OptionErrors()
  const at = faults.read('--at', options.at, readInstant)
  for (const id of ids) faults.read(id, id, parseName)
  const chosen = Object.entries(options).some(([name, value]) => !['at', 'yes', 'json'].includes(name) && value)
  if (ids.length > 0 && chosen) faults.add(action, 'use either IDs or filters, not both')
  if (ids.length === 0 && !chosen) faults.add(action, 'name jobs by their IDs, select them with filters, or use --all')
  await withDatabase(async (db) => {
    if (ids.length === 0) return await performOnMatching(db, action, options, faults, at)
    faults.demandNone()
    await performOnNamed(db, action, ids, at, options)
  })
}

/** Runs an action on named jobs. The exit code is 1 if one of them was not changed. */
async function performOnNamed(
  db: DatabasePool,
  action: JobAction,
  ids: string[],
  at: Date | undefined,
  options: Options,
) {
  const outcomes: Outcome[] = []
  for (const id of ids) outcomes.push(await performAction(db, action, id, { actor: actor(), at }))
  if (options.json) json(outcomes)
  else
    for (const { name, changed, state, message } of outcomes)
      line(`${name}  ${changed ? '' : `unchanged, ${state}: `}${message}`)
  if (outcomes.some(({ changed }) => !changed)) process.exitCode = 1
}

/** Runs an action on matching jobs. The exit code is 1 if jobs matched and none was changed. */
async function performOnMatching(
  db: DatabasePool,
  action: JobAction,
  options: Options,
  faults: OptionErrors,
  at: Date | undefined,
) {
  const filter = await readFilter(db, options, faults)
  const count = await countMatchingJobs(db, action, filter)
  if (count > 0 && !options.yes) await confirm(action, count, await describeFilter(db, filter), options)
  const bar = progress(action, count, options.json)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const counts = await performActionOnAll(
    db,
    action,
    filter,
    { actor: actor(), at },
    { onProgress: bar.at, signal: stop.signal },
  )
  bar.end()
  if (count > 0 && counts.changed === 0) process.exitCode = 1
  if (options.json) return json({ matched: count, ...counts })
  say(action, count, counts, stop.signal.aborted)
}

const done: Record<JobAction, string> = {
  retry: 'retried',
  cancel: 'cancelled',
  discard: 'discarded',
  reschedule: 'rescheduled',
}

function say(action: JobAction, count: number, { changed, refused }: ActionCounts, broken: boolean): void {
  line(count === 0 ? 'No matching jobs.' : `${number(changed)} of ${number(count)} jobs ${done[action]}.`)
  for (const [why, times] of Object.entries(refused)) line(`${number(times)} unchanged: ${why}`)
  if (broken) line('Interrupted. Completed changes remain.')
}

/** Prompts on a terminal. Throws `CommandError` unless the answer is yes, and `UsageError` without a terminal. */
async function confirm(action: JobAction, count: number, which: string, options: Options): Promise<void> {
  const question = `${action} ${number(count)} ${count === 1 ? 'job' : 'jobs'} (${which})`
  if (!process.stdin.isTTY || options.json) throw new UsageError(`This would ${question}. Add --yes to confirm.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${printable(question)}? [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.')
}
