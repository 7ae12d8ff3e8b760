import type { Command } from 'commander'
import * as reputation from '#sql/email/delivery/reputation.ts'
import { resumeMarketing } from '#tasks/email/rules/consent/resume-marketing.ts'
import { declare as declareDomains } from './email-domains.ts'
import { declare as declareIpPools } from './email-ip-pools.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, short, table, when } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { OptionErrors } from './usage.ts'

export function declare(program: Command): void {
  const command = program
    .command('email')
    .description(
      'list organisations with paused marketing email, resume one, mark domains as verified, and assign IP addresses',
    )
  command
    .command('list', { isDefault: true })
    .description('list organisations with paused marketing email or a warning')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('resume')
    .description('resume marketing email for an organisation; its rates start again on the next day (UTC)')
    .argument('<org>', 'organisation ID or name')
    .option('--json', 'print JSON')
    .action(runResume)
  declareDomains(command)
  declareIpPools(command)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(reputation.listFlagged)
  if (options.json) return json(found)
  table(found, columns, 'No organisations with paused marketing email or a warning.')
}

const columns: Column<reputation.DoubtfulSender>[] = [
  { heading: 'ORG', text: ({ org_id }) => org_id },
  { heading: 'NAME', text: ({ name }) => short(name, 30) },
  { heading: 'MARKETING', text: ({ marketing }) => (marketing === 'paused' ? 'paused' : 'warned') },
  { heading: 'SINCE', right: true, text: ({ since }) => (since === null ? '' : when(since)) },
  { heading: 'WHY', text: ({ reason }) => short(reason ?? '', 90) },
]

async function runResume(name: string, options: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const org = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    faults.demandNone()
    const resumed = await resumeMarketing(db, org, actor())
    if (options.json) json({ org_id: org, resumed })
    else line(resumed ? `Marketing email for ${name} has been resumed.` : `Marketing email for ${name} is not paused.`)
    if (!resumed) process.exitCode = 1
  })
}
