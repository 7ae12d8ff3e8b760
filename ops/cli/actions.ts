import type { Command } from 'commander'
import * as controls from '#sql/jobs/controls.ts'
import { type Column, json, number, table } from './output.ts'
import { withDatabase } from './session.ts'
import { UsageError } from './usage.ts'

export function declare(program: Command): void {
  program
    .command('actions')
    .description('list operator actions, newest first')
    .option('-n, --limit <number>', 'maximum number of entries, up to 500', '50')
    .option('--json', 'print JSON')
    .action(run)
}

async function run(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new UsageError('--limit must be a whole number from 1 to 500')
  const actions = await withDatabase((db) => controls.actions(db, { limit }))
  if (options.json) return json(actions)
  table(actions, columns, 'No actions recorded.')
}

const columns: Column<controls.Action>[] = [
  { heading: 'WHEN', text: ({ at }) => at.toISOString() },
  { heading: 'WHO', text: ({ actor }) => actor },
  { heading: 'DID', text: ({ action }) => action },
  { heading: 'TO', text: ({ target }) => target },
  { heading: 'JOBS', right: true, text: ({ count }) => number(count) },
  { heading: 'REASON', text: ({ reason }) => reason ?? '' },
]
