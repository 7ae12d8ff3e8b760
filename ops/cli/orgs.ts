import type { Command } from 'commander'
import { appUrl, isSet } from '#lib/config.ts'
import { parseAddress } from '#lib/email-address.ts'
import * as orgs from '#sql/account/orgs.ts'
import { Role } from '#sql/account/people/members.ts'
import * as plans from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { movePlan } from '#tasks/account/rules/operate.ts'
import { findOrg } from './filters.ts'
import { declare as declareClosure } from './orgs/closure.ts'
import { declare as declareMove } from './orgs/move.ts'
import { declare as declarePlace } from './orgs/place.ts'
import { type Column, json, line, table, when } from './output.ts'
import { actor, readStackFacts, withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('orgs').description('list, create, close and move organisations, and set their plans')
  command
    .command('list', { isDefault: true })
    .description('list organisations, newest first')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('create')
    .description('create an organisation')
    .argument('<name>')
    .option('--plan <plan>', 'plan name (see `millrace plans`)', 'free')
    .option('--json', 'print JSON')
    .action(runCreate)
  command
    .command('invite')
    .description('print an invitation link that works once and expires after a day; no email is sent')
    .argument('<org>', 'organisation ID or name')
    .argument('<mail>', 'email address that the person signs in with')
    .option('--role <role>', Role.options.join(', '), 'owner')
    .option('--json', 'print JSON')
    .action(runInvite)
  command
    .command('set-plan')
    .description('move an organisation to another plan; takes effect within seconds')
    .argument('<org>', 'organisation ID or name')
    .argument('<plan>', 'plan name (see `millrace plans`)')
    .option('--json', 'print JSON')
    .action(runSetPlan)
  declareClosure(command)
  declareMove(command)
  declarePlace(command)
}

async function runInvite(name: string, email: string, options: { role: string; json?: boolean }): Promise<void> {
  const { app_url } = await readStackFacts()
  const { path, expiresAt } = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    const address = faults.read('mail', email, readAddress) ?? ''
    const role = faults.read('--role', options.role, readRole) ?? 'viewer'
    faults.demandNone()
    const doer = { orgId, actor: { kind: 'operator', id: null, name: actor() } } as const
    return await db.transaction((tx) => inviteByLink(tx, doer, { email: address, role }))
  })
  const base = isSet('APP_URL') || isSet('PUBLIC_URL') || !app_url ? appUrl() : new URL(app_url).origin
  const url = base + path
  if (options.json) return json({ url, expires_at: expiresAt })
  line(`${url}\nThis link works once, until ${expiresAt.toISOString()}. It is shown only once.`)
}

function readAddress(text: string): string {
  const parsed = parseAddress(text)
  if (typeof parsed === 'string') throw new UsageError(`"${text}" is not an email address: ${parsed}`)
  return parsed.address
}

function readRole(text: string): Role {
  const role = Role.safeParse(text)
  if (role.success) return role.data
  throw new UsageError(`unknown role "${text}"; the roles are ${Role.options.join(', ')}`)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(orgs.list)
  if (options.json) return json(found)
  table(found, columns, 'No organisations.')
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
    const faults = new OptionErrors()
    if (name.trim() === '') faults.add('name', 'must have at least one character')
    const plan = (await faults.look('--plan', options.plan, (text) => findPlan(db, text))) ?? ''
    faults.demandNone()
    return await orgs.insert(db, { name, plan })
  })
  if (options.json) return json(org)
  line(`Organisation "${org.name}" has the ID ${org.id}, on plan ${org.plan}.`)
}

async function runSetPlan(name: string, wanted: string, options: { json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const org = (await faults.look('org', name, (text) => findOrg(db, text))) ?? ''
    const plan = (await faults.look('plan', wanted, (text) => findPlan(db, text))) ?? ''
    faults.demandNone()
    const operator = { id: null, name: 'command line' }
    await movePlan(db, { orgId: org, actor: actor(), operator }, plan)
    if (options.json) return json(await orgs.find(db, org))
    line(`Organisation ${name} is on plan ${plan}.`)
  })
}

async function findPlan(db: Db, name: string): Promise<string> {
  const known = (await plans.list(db)).map((plan) => plan.name)
  if (known.includes(name)) return name
  throw new UsageError(`unknown plan "${name}"; the plans are ${known.join(', ')}`)
}
