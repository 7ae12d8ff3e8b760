import type { Command } from 'commander'
import * as current from '#sql/jobs/controls.ts'
import { countMisplaced } from '#sql/jobs/parking.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { requireTarget } from '#tasks/jobs/rules/names.ts'
import { poolSchema } from '#tasks/pools.ts'
import { type Column, json, line, table, when } from './output.ts'
import { progress } from './progress.ts'
import { actor, withDatabase } from './session.ts'

export function declare(program: Command): void {
  program
    .command('pause')
    .description(
      'stop starting jobs of a pool or task, on every host, until it is resumed; without a name, list pauses',
    )
    .argument('[target]', 'pool, such as media, or task, such as video/probe')
    .option('--reason <text>', 'reason for the pause')
    .option('--json', 'print JSON')
    .action(runPause)
  program
    .command('resume')
    .description('end a pause')
    .argument('<target>', 'paused pool or task')
    .option('--json', 'print JSON')
    .action(runResume)
}

async function runPause(name: string | undefined, options: { reason?: string; json?: boolean }): Promise<void> {
  if (name === undefined) return await listPauses(options)
  await withDatabase(async (db) => {
    const target = await requireTarget(db, name)
    const changed = await controls.pause(db, target, { actor: actor(), reason: options.reason })
    const held = target.task ? await applyPauses(db, target, options) : 0
    if (options.json) return json({ ...target, paused: true, changed, held })
    line(changed ? `${name} is paused and starts no jobs. Running jobs continue.` : `${name} is already paused.`)
  })
}

async function runResume(name: string, options: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const target = await requireTarget(db, name)
    const changed = await controls.resume(db, target, actor())
    const released = target.task ? await applyPauses(db, target, options) : 0
    if (options.json) return json({ ...target, paused: false, changed, released })
    line(changed ? `${name} has been resumed.` : `${name} was not paused.`)
  })
}

/** Workers also do this by themselves. Running it here shows the effect immediately. */
async function applyPauses(
  db: Parameters<typeof controls.applyPauses>[0],
  target: controls.Target,
  options: { json?: boolean },
) {
  const total = await countMisplaced(db, { pool: target.pool, schema: poolSchema(target.pool) })
  const bar = progress(target.task, total, options.json || total === 0)
  const moved = await controls.applyPauses(db, target.pool, bar.at)
  bar.end()
  return moved
}

async function listPauses(options: { json?: boolean }): Promise<void> {
  const pauses = await withDatabase(current.pauses)
  if (options.json) return json(pauses)
  table(pauses, columns, 'No pauses.')
}

const columns: Column<current.Pause>[] = [
  { heading: 'PAUSED', text: ({ pool, task }) => task || pool },
  { heading: 'SINCE', right: true, text: ({ paused_at }) => when(paused_at) },
  { heading: 'BY', text: ({ paused_by }) => paused_by },
  { heading: 'REASON', text: ({ reason }) => reason ?? '' },
]
