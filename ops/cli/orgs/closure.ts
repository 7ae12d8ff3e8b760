import type { Command } from 'commander'
import { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import { findOrg } from '../filters.ts'
import { json, line, table } from '../output.ts'
import { actor, withDatabase } from '../session.ts'
import { CommandError, OptionErrors, UsageError } from '../usage.ts'

export function declare(command: Command): void {
  command
    .command('close')
    .description('close an organisation immediately, and delete it after the grace period')
    .argument('<org>', 'organisation ID or name')
    .option('--cancel', 'cancel the closure')
    .option('--json', 'print JSON')
    .action(runClose)
  command
    .command('receipt')
    .description('show how many rows and objects of a closed organisation were deleted, by table')
    .argument('<org>', 'organisation ID')
    .option('--json', 'print JSON')
    .action(runReceipt)
}

async function runClose(name: string, options: { cancel?: boolean; json?: boolean }): Promise<void> {
  const closure = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    faults.demandNone()
    const asked = { orgId, actor: { kind: 'operator', id: null, name: actor() } } as const
    return await db.transaction((tx) => (options.cancel ? cancelClosure(tx, asked) : requestClosure(tx, asked)))
  }).catch((error) => {
    throw error instanceof Problem ? new CommandError(error.message) : error
  })
  if (options.json) return json(closure)
  if (options.cancel)
    return line('Closure cancelled. Its keys are valid again, and pending work resumes within ten minutes.')
  line(`The organisation sends and receives nothing. All its data is deleted after ${closure.due_at.toISOString()}.`)
  line(`Until then, cancel the closure with \`millrace orgs close ${closure.org_id} --cancel\`.`)
}

async function runReceipt(id: string, options: { json?: boolean }): Promise<void> {
  const closure = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = faults.read('org', id, readId) ?? ''
    faults.demandNone()
    return await closures.find(db, orgId)
  })
  if (!closure) throw new CommandError(`${id} has no pending closure.`)
  if (options.json) return json(closure)
  const { receipt, state, due_at, finished_at } = closure
  line(
    `${state}${state === 'waiting' ? `, due ${due_at.toISOString()}` : finished_at ? ` ${finished_at.toISOString()}` : ''}`,
  )
  table(
    Object.entries(receipt.rows).sort(([a], [b]) => (a < b ? -1 : 1)),
    [
      { heading: 'TABLE', text: ([name]) => name },
      { heading: 'ROWS', right: true, text: ([, rows]) => String(rows) },
    ],
    'No rows deleted.',
  )
  line(`${receipt.jobs} pending jobs, ${receipt.objects} stored objects of ${receipt.bytes} bytes`)
}

function readId(text: string): string {
  if (Id.safeParse(text).success) return text
  throw new UsageError(`"${text}" is not an ID; use the ID, because deleted organisations have no name`)
}
