import type { Command } from 'commander'
import { maskText } from '#lib/mask.ts'
import { type FailureGroup, groups } from '#sql/jobs/failure-groups.ts'
import { requirePool, requireTask } from '#tasks/jobs/rules/names.ts'
import { ago } from './filters.ts'
import { type Column, json, number, short, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { OptionErrors } from './usage.ts'

export function declare(program: Command): void {
  program
    .command('errors')
    .description('list errors of jobs, grouped by similarity, newest first')
    .option('-p, --pool <pool>', 'filter by pool')
    .option('-t, --task <task>', 'filter by task')
    .option('--newer-than <age>', 'maximum age, such as 30s, 10m, 2h or 7d', '24h')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(options: { pool?: string; task?: string; newerThan: string; json?: boolean }): Promise<void> {
  const found = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const since = faults.read('--newer-than', options.newerThan, ago) ?? new Date()
    const pool = faults.read('--pool', options.pool, requirePool)
    const task = (await faults.look('--task', options.task, (name) => requireTask(db, name)))?.task
    faults.demandNone()
    return (await groups(db, since, { pool, task })).map((group) => ({
      ...group,
      fingerprint: maskText(group.fingerprint),
      error: maskText(group.error),
    }))
  })
  if (options.json) return json(found)
  table(found, columns, 'Nothing threw.')
}

const columns: Column<FailureGroup>[] = [
  { heading: 'LAST', right: true, text: ({ last_at }) => when(last_at) },
  { heading: 'FIRST', right: true, text: ({ first_at }) => when(first_at) },
  { heading: 'THROWN', right: true, text: ({ attempts }) => number(attempts) },
  { heading: 'GIVEN UP', right: true, text: ({ given_up }) => number(given_up) },
  { heading: 'TASK', text: ({ task }) => task },
  { heading: 'FINGERPRINT', text: ({ fingerprint }) => short(fingerprint, 80) },
]
