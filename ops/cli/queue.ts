import type { Command } from 'commander'
import { type PoolOverview, readOverview, type TaskOverview } from '#sql/jobs/overview.ts'
import { requirePool } from '#tasks/jobs/rules/names.ts'
import { queues } from '#tasks/pools.ts'
import { bold, type Column, dim, duration, json, number, rate, red, table, yellow } from './output.ts'
import { withDatabase } from './session.ts'

export function declare(program: Command): void {
  program
    .command('queue')
    .description('show every pool and task, with depth, oldest age, running and failed jobs, and rate')
    .argument('[pool]', 'show only this pool')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(pool: string | undefined, options: { json?: boolean }): Promise<void> {
  const wanted = pool === undefined ? queues : queues.filter((queue) => queue.pool === requirePool(pool))
  const pools = await withDatabase((db) => readOverview(db, wanted))
  if (options.json) return json(pools)
  table(
    pools.flatMap((each) => [{ ...each, task: '' }, ...each.tasks]),
    columns,
    'No pools.',
  )
}

type Row = (Omit<PoolOverview, 'tasks'> & { task: string }) | TaskOverview

const count = (value: number) => (value === 0 ? '-' : number(value))

const columns: Column<Row>[] = [
  { heading: 'POOL / TASK', text: ({ pool, task }) => (task ? `  ${task}` : bold(pool)) },
  { heading: 'WAITING', right: true, text: ({ waiting }) => count(waiting) },
  { heading: 'OLDEST', right: true, text: ({ oldest_s }) => (oldest_s === null ? '-' : duration(oldest_s)) },
  { heading: 'SCHEDULED', right: true, text: ({ scheduled }) => count(scheduled) },
  { heading: 'HELD', right: true, text: ({ held }) => count(held) },
  { heading: 'RUNNING', right: true, text: ({ running }) => count(running) },
  { heading: 'FAILED', right: true, text: ({ failed }) => (failed ? red(number(failed)) : '-') },
  { heading: 'DONE/MIN', right: true, text: ({ done_per_minute }) => rate(done_per_minute) },
  { heading: 'ERRORS/MIN', right: true, text: ({ failed_per_minute }) => rate(failed_per_minute) },
  { heading: 'REJECTED/MIN', right: true, text: ({ rejected_per_minute }) => rate(rejected_per_minute) },
  { heading: '', text: ({ paused, task }) => (paused ? yellow('paused') : dim(task ? '' : '')) },
]
