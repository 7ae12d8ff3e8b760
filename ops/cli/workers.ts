import type { Command } from 'commander'
import * as fleet from '#sql/jobs/fleet.ts'
import { countWorkers } from '#sql/jobs/workers.ts'
import { poolNames, queues } from '#tasks/pools.ts'
import { type Column, green, json, line, number, red, table, when, yellow } from './output.ts'
import { withDatabase } from './session.ts'

export function declare(program: Command): void {
  program
    .command('workers')
    .description('list workers: host, process, pool, jobs held, last seen')
    .option('-a, --all', 'include workers that stopped within the last 24 hours')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(options: { all?: boolean; json?: boolean }): Promise<void> {
  const { workers, heads } = await withDatabase(async (db) => ({
    workers: await fleet.workers(db, queues, { ended: options.all ?? false }),
    heads: await countWorkers(db, poolNames),
  }))
  if (options.json) return json(workers)
  table(workers, columns, 'No worker is running. Start one with `npx node workers/main.ts`.')
  const lost = heads.flatMap(({ pool, lost: count }) => (count > 0 ? [`${pool} ${number(count)}`] : []))
  if (lost.length > 0) line(yellow(`Lost within the last ten minutes: ${lost.join(', ')}.`))
}

const columns: Column<fleet.Worker>[] = [
  { heading: 'HOST', text: ({ host }) => host },
  { heading: 'PROCESS', right: true, text: ({ pid }) => String(pid) },
  { heading: 'POOL', text: ({ pool }) => pool },
  { heading: 'STATE', text: stateOf },
  { heading: 'RUNNING', right: true, text: ({ running }) => number(running) },
  { heading: 'OF', right: true, text: ({ concurrency }) => String(concurrency) },
  { heading: 'STARTED', right: true, text: ({ started_at }) => when(started_at) },
  { heading: 'SEEN', right: true, text: ({ seen_at }) => when(seen_at) },
]

function stateOf({ state, draining, paused, running }: fleet.Worker): string {
  if (state === 'lost') return red('lost')
  if (state === 'fenced') return red('fenced')
  if (state === 'stopped') return 'stopped'
  if (draining) return yellow(running > 0 ? 'draining' : 'drained')
  return paused ? yellow('paused') : green('alive')
}
