import type { Command } from 'commander'
import { toDomain } from '#lib/email-address.ts'
import { revertToDns, verifyByOperator } from '#sql/email/delivery/vouching.ts'
import * as domains from '#sql/email/domains.ts'
import * as controls from '#sql/jobs/controls.ts'
import { findOrg } from './filters.ts'
import { json, line } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { CommandError, OptionErrors } from './usage.ts'

interface Options {
  org: string
  undo?: boolean
  json?: boolean
}

/** `millrace email vouch`: marks a domain as verified if its owner has proven ownership to the operator without DNS. */
export function declare(command: Command): void {
  command
    .command('vouch')
    .description('mark a sending domain as verified; DNS is no longer checked')
    .argument('<domain>', 'domain that the organisation has added')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .option('--undo', 'verify the domain by DNS again; no email is sent from it until verification succeeds')
    .option('--json', 'print JSON')
    .action(runVouch)
}

async function runVouch(text: string, options: Options): Promise<void> {
  const name = toDomain(text) ?? text
  await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const org = (await faults.look('--org', options.org, (given) => findOrg(db, given))) ?? ''
    faults.demandNone()
    const domain = await domains.find(db, org, name)
    if (!domain)
      throw new CommandError(`The organisation does not have the domain ${name}. Add it with POST /send/v1/domains.`)
    const [was, wanted] = [domain.verified_by === 'operator', !options.undo]
    if (was !== wanted) {
      await db.transaction(async (tx) => {
        await (wanted ? verifyByOperator(tx, domain.id) : revertToDns(tx, domain.id))
        const action = wanted ? 'vouch' : 'leave to DNS'
        await controls.recordAction(tx, { actor: actor(), action, target: `mail domain ${name} of ${org}`, count: 1 })
      })
    }
    const verified_by = wanted ? 'operator' : null
    if (options.json) return json({ org_id: org, domain: name, verified_by, changed: was !== wanted })
    line(wanted ? `${name} is marked as verified.` : `${name} is verified by DNS.`)
  })
}
