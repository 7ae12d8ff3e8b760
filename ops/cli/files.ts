import type { Command } from 'commander'
import { Id } from '#lib/ids.ts'
import * as releases from '#sql/files/releases.ts'
import { maxReasonLength, releaseObject } from '#tasks/files/rules/pass.ts'
import { type Column, json, line, short, table, when } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('files').description('list suspicious and unscannable files, and release one')
  command
    .command('list', { isDefault: true })
    .description('list quarantined files, newest first')
    .option('-n, --limit <number>', 'maximum number of files, up to 500', '50')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('release')
    .description('allow downloads of a file despite its verdict; not possible for infected files')
    .argument('<id>', 'file ID (see `millrace files`)')
    .requiredOption('--reason <text>', 'reason for the release')
    .option('--json', 'print JSON')
    .action(runRelease)
}

async function runList(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new UsageError('--limit must be a whole number from 1 to 500')
  const found = await withDatabase((db) => releases.listBlocked(db, { limit }))
  if (options.json) return json(found)
  table(found, columns, 'No quarantined files.')
}

const columns: Column<releases.BlockedObject>[] = [
  { heading: 'ID', text: ({ id }) => id },
  { heading: 'OF', text: ({ org }) => short(org, 24) },
  { heading: 'NAME', text: ({ filename }) => short(filename, 40) },
  { heading: 'IS', text: ({ scan_status }) => scan_status },
  { heading: 'SINCE', right: true, text: ({ scanned_at }) => (scanned_at === null ? '' : when(scanned_at)) },
  { heading: 'WHY', text: ({ reasons: [first] }) => short(first?.detail ?? '', 80) },
]

async function runRelease(id: string, options: { reason: string; json?: boolean }): Promise<void> {
  const faults = new OptionErrors()
  if (!Id.safeParse(id).success) faults.add('id', `"${id}" is not a file ID; \`millrace files\` lists them`)
  const reason = options.reason.trim()
  if (reason === '' || reason.length > maxReasonLength)
    faults.add('--reason', `must have 1 to ${maxReasonLength} characters`)
  faults.demandNone()
  const released = await withDatabase((db) => releaseObject(db, id, { actor: actor(), reason }))
  if (released === null) throw new UsageError(`File ${id} does not exist.`)
  if (options.json) json({ id, ...released })
  else line(`${id}  ${released.changed ? '' : 'unchanged: '}${released.message}`)
  if (!released.changed) process.exitCode = 1
}
