import type { Command } from 'commander'
import { config } from '#lib/config.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { assignWaitingMessages } from '#tasks/whatsapp/rules/inbound.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, table, when, yellow } from './output.ts'
import { withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program
    .command('whatsapp')
    .description('set the organisation that receives messages from unknown senders')
  command
    .command('numbers', { isDefault: true })
    .description('list business numbers with their organisations, and unassigned messages')
    .option('--json', 'print JSON')
    .action(runNumbers)
  command
    .command('assign')
    .description('assign new and waiting messages of unknown senders to an organisation')
    .argument('<org>', 'organisation ID or name')
    .option('--number <id>', 'phone number ID at Meta; default: WHATSAPP_PHONE_NUMBER_ID')
    .option('--json', 'print JSON')
    .action(runAssign)
}

async function runNumbers(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(receivers.list)
  if (options.json) return json(found)
  table(found, columns, 'No number is assigned to an organisation, and no messages are waiting.')
}

const columns: Column<receivers.ReceiverView>[] = [
  { heading: 'NUMBER', text: ({ phone_number_id }) => phone_number_id },
  { heading: 'ORGANISATION', text: ({ org }) => org ?? yellow('none') },
  { heading: 'WAITING', right: true, text: ({ kept }) => String(kept) },
  { heading: 'OLDEST', right: true, text: ({ oldest_at }) => (oldest_at ? when(oldest_at) : '') },
]

async function runAssign(name: string, options: { number?: string; json?: boolean }): Promise<void> {
  const number = options.number ?? config.WHATSAPP_PHONE_NUMBER_ID
  if (number === undefined) throw new UsageError('WHATSAPP_PHONE_NUMBER_ID is not set. Name the number with --number.')
  const done = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('<org>', name, (text) => findOrg(db, text))) ?? ''
    faults.demandNone()
    return await db.transaction(async (tx) => {
      await receivers.assign(tx, number, orgId)
      return { phone_number_id: number, org_id: orgId, given: await assignWaitingMessages(tx, number) }
    })
  })
  if (options.json) return json(done)
  line(`Messages from unknown senders to ${number} go to ${name}, including ${done.given} that were waiting.`)
}
