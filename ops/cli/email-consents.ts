import type { Command } from 'commander'
import { Id } from '#lib/ids.ts'
import { isClosed } from '#sql/account/closures.ts'
import * as imports from '#sql/email/imports.ts'
import { vouchForImport } from '#tasks/email/confirm-import.ts'
import { endVoucher, vouchForOrg } from '#tasks/email/rules/imports/vouch-for-org.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, short, table, when } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { CommandError, OptionErrors } from './usage.ts'

interface Options {
  reason: string
  undo?: boolean
  json?: boolean
}

const mostListed = 50

/** `millrace email consents`, `vouch-import` and `vouch-consents`: imported consents that an operator has checked. */
export function declare(command: Command): void {
  command
    .command('consents')
    .description(`list the last ${mostListed} imports of consents`)
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('vouch-import')
    .description('confirm the contacts of an import of consents; use it after you have checked the evidence')
    .argument('<import>', 'ID of the import')
    .requiredOption('-r, --reason <text>', 'reason; the organisation can read it')
    .option('--json', 'print JSON')
    .action(runImport)
  command
    .command('vouch-consents')
    .description('confirm the contacts of all consents that an organisation imports from now on')
    .argument('<org>', 'organisation ID or name')
    .requiredOption('-r, --reason <text>', 'reason')
    .option('--undo', 'import further consents as unconfirmed contacts again')
    .option('--json', 'print JSON')
    .action(runOrg)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase((db) => imports.listConsents(db, mostListed))
  if (options.json) return json(found)
  table(found, columns, 'No imports of consents.')
}

const columns: Column<imports.Import & { org: string }>[] = [
  { heading: 'IMPORT', text: ({ id }) => id },
  { heading: 'ORG', text: ({ org }) => short(org, 30) },
  { heading: 'ROWS', right: true, text: ({ rows }) => String(rows) },
  { heading: 'INVALID', right: true, text: ({ invalid }) => String(invalid) },
  { heading: 'CREATED', right: true, text: ({ created_at }) => when(created_at) },
  { heading: 'VOUCHED', text: ({ vouched_at }) => (vouched_at === null ? 'no' : 'yes') },
]

const mostReason = 500

function readReason(text: string): string {
  const reason = text.trim()
  if (reason === '' || reason.length > mostReason)
    throw new CommandError(`--reason must have 1 to ${mostReason} characters.`)
  return reason
}

async function runImport(id: string, options: Options): Promise<void> {
  const reason = readReason(options.reason)
  await withDatabase(async (db) => {
    const found = Id.safeParse(id).success ? await imports.findAny(db, id) : null
    if (found?.kind !== 'consents') throw new CommandError(`No import of consents has the ID ${id}.`)
    const changed = await vouchForImport(db, id, actor(), reason)
    if (options.json) return json({ import_id: id, org_id: found.org_id, changed })
    line(
      changed ? 'The contacts of the import are being confirmed.' : 'An operator has already vouched for this import.',
    )
  })
}

async function runOrg(name: string, options: Options): Promise<void> {
  const reason = readReason(options.reason)
  await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    faults.demandNone()
    if (!options.undo && (await isClosed(db, orgId))) throw new CommandError(`The organisation ${name} is closed.`)
    const vouching = { orgId, actor: actor(), reason }
    const changed = await (options.undo ? endVoucher : vouchForOrg)(db, vouching)
    if (options.json) return json({ org_id: orgId, vouched: !options.undo, changed })
    line(
      options.undo
        ? `Consents that ${name} imports are unconfirmed.`
        : `Consents that ${name} imports from now on are confirmed.`,
    )
  })
}
