import type { Command } from 'commander'
import { config } from '#lib/config.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { claim } from '#tasks/whatsapp/rules/inbound.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, table, when, yellow } from './output.ts'
import { withDatabase } from './session.ts'
import { Faults, Usage } from './usage.ts'

/** `millrace whatsapp`: whose the messages are of people to whom nobody has written. */
export function declare(program: Command): void {
  const command = program.command('whatsapp').description('name the organisation that strangers’ messages go to')
  command
    .command('numbers', { isDefault: true })
    .description('business numbers with their organisations, and what waits for one')
    .option('--json', 'for programs')
    .action(runNumbers)
  command
    .command('assign')
    .description('give it what people write to whom nobody has written, and what has waited')
    .argument('<org>', 'an organisation, by its id or name')
    .option('--number <id>', 'the phone number id at Meta; default: WHATSAPP_PHONE_NUMBER_ID')
    .option('--json', 'for programs')
    .action(runAssign)
}

async function runNumbers(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(receivers.list)
  if (options.json) return json(found)
  table(found, columns, 'No organisation is named for a number, and nothing waits.')
}

const columns: Column<receivers.ReceiverView>[] = [
  { heading: 'NUMBER', text: ({ phone_number_id }) => phone_number_id },
  { heading: 'ORGANISATION', text: ({ org }) => org ?? yellow('none') },
  { heading: 'WAITING', right: true, text: ({ kept }) => String(kept) },
  { heading: 'OLDEST', right: true, text: ({ oldest_at }) => (oldest_at ? when(oldest_at) : '') },
]

async function runAssign(name: string, options: { number?: string; json?: boolean }): Promise<void> {
  const number = options.number ?? config.WHATSAPP_PHONE_NUMBER_ID
  if (number === undefined) throw new Usage('WHATSAPP_PHONE_NUMBER_ID is not set. Name the number with --number.')
  const done = await withDatabase(async (db) => {
    const faults = new Faults()
    const orgId = (await faults.look('<org>', name, (text) => findOrg(db, text))) ?? ''
    faults.demandNone()
    return await db.transaction(async (tx) => {
      await receivers.assign(tx, number, orgId)
      return { phone_number_id: number, org_id: orgId, given: await claim(tx, number) }
    })
  })
  if (options.json) return json(done)
  line(`Messages of strangers to ${number} go to ${name}; ${done.given} that waited are its own.`)
}
