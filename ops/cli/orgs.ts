import type { Command } from 'commander'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { Faults, Usage } from './usage.ts'

/** `millrace orgs`: organisations. */
export function declare(program: Command): void {
  const command = program.command('orgs').description('list and create organisations, and set their plans')
  command
    .command('list', { isDefault: true })
    .description('organisations, newest first')
    .option('--json', 'for programs')
    .action(runList)
  command
    .command('create')
    .description('add an organisation')
    .argument('<name>')
    .option('--plan <plan>', 'as `millrace plans` names it', 'free')
    .option('--json', 'for programs')
    .action(runCreate)
  command
    .command('set-plan')
    .description('move an organisation to another plan; processes heed it within seconds')
    .argument('<org>', 'its id or name')
    .argument('<plan>', 'as `millrace plans` names it')
    .option('--json', 'for programs')
    .action(runSetPlan)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(orgs.list)
  if (options.json) return json(found)
  table(found, columns, 'There are no organisations.')
}

const columns: Column<orgs.Org & { keys: number }>[] = [
  { heading: 'ID', text: ({ id }) => id },
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'PLAN', text: ({ plan }) => plan },
  { heading: 'KEYS', right: true, text: ({ keys }) => String(keys) },
  { heading: 'MADE', right: true, text: ({ created_at }) => when(created_at) },
]

async function runCreate(name: string, options: { plan: string; json?: boolean }): Promise<void> {
  const org = await withDatabase(async (db) => {
    const faults = new Faults()
    if (name.trim() === '') faults.add('name', 'at least one character')
    const plan = (await faults.look('--plan', options.plan, (text) => findPlan(db, text))) ?? ''
    faults.demandNone()
    return await orgs.insert(db, { name, plan })
  })
  if (options.json) return json(org)
  line(`Organisation "${org.name}" is ${org.id}, on plan ${org.plan}.`)
}

async function runSetPlan(name: string, wanted: string, options: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const faults = new Faults()
    const org = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    const plan = (await faults.look('plan', wanted, (text) => findPlan(db, text))) ?? ''
    faults.demandNone()
    await orgs.setPlan(db, org, plan)
    if (options.json) return json(await orgs.find(db, org))
    line(`Organisation ${name} is on plan ${plan}.`)
  })
}

async function findPlan(db: Db, name: string): Promise<string> {
  const known = (await plans.list(db)).map((plan) => plan.name)
  if (known.includes(name)) return name
  throw new Usage(`there is no plan "${name}"; there are ${known.join(', ')}`)
}
