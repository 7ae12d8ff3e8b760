import { isIP } from 'node:net'
import type { Command } from 'commander'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { assignIpPool, unassignIpPool } from '#tasks/email/rules/assign-ip-pool.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, red, short, table } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { CommandError, OptionErrors, UsageError } from './usage.ts'

interface Options {
  addresses?: string
  warmUp?: string
  org?: string
  json?: boolean
}

const addressesText = 'IP addresses with their host names: 192.0.2.30=mta30.example.com,…'
const warmUpText = 'messages per day and address, by days since first use: 0:50,3:500,30:0; default: MAIL_WARMUP'

/** `millrace email … ip-pool`: dedicated IP addresses of organisations. */
export function declare(command: Command): void {
  const one = (verb: string, about: string) =>
    command.command(`${verb}-ip-pool`).description(about).option('--json', 'print JSON')
  command
    .command('ip-pools')
    .description('list dedicated IP pools with their organisations, workers and pending messages')
    .option('--json', 'print JSON')
    .action(runList)
  one('add', 'create a dedicated IP pool')
    .argument('<name>', 'letters a to z, digits and hyphens')
    .requiredOption('--addresses <list>', addressesText)
    .option('--warm-up <list>', warmUpText)
    .action(runAdd)
  one('change', 'change the addresses or the warm-up of a dedicated IP pool')
    .argument('<name>')
    .option('--addresses <list>', addressesText)
    .option('--warm-up <list>', warmUpText)
    .action(runChange)
  one('remove', 'delete a dedicated IP pool that is not assigned').argument('<name>').action(runRemove)
  one('assign', 'send all email of an organisation from a dedicated IP pool only')
    .argument('<name>')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .action(runAssign)
  one('unassign', 'send email of an organisation from the shared IP addresses again')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .action(runUnassign)
}

async function runList(options: Options): Promise<void> {
  const found = await withDatabase((db) => ipPools.listViews(db))
  if (options.json) return json(found)
  table(found, columns, 'No dedicated IP pools.')
}

const columns: Column<ipPools.PoolView>[] = [
  { heading: 'POOL', text: ({ name }) => name },
  { heading: 'ORG', text: ({ assigned_to }) => assigned_to ?? '' },
  { heading: 'NAME', text: ({ org }) => short(org ?? '', 30) },
  { heading: 'PENDING', right: true, text: ({ waiting }) => String(waiting) },
  {
    heading: 'ADDRESSES',
    text: ({ addresses, live }) =>
      addresses.map(({ address }) => (live.includes(address) ? address : red(`${address} (no worker)`))).join(', '),
  },
]

async function runAdd(name: string, options: Options): Promise<void> {
  const faults = new OptionErrors()
  const read = faults.read('name', name, readName) ?? ''
  const addresses = faults.read('--addresses', options.addresses, readAddresses) ?? []
  const warm_up = faults.read('--warm-up', options.warmUp, readWarmUp) ?? null
  faults.demandNone()
  const added = await withDatabase((db) => ipPools.insert(db, { name: read, addresses, warm_up }))
  if (!added) throw new CommandError(`The IP pool ${name} exists. \`millrace email ip-pools\` lists all pools.`)
  report(options, { name, addresses, warm_up }, `IP pool ${name} created.`)
}

async function runChange(name: string, options: Options): Promise<void> {
  const faults = new OptionErrors()
  const addresses = faults.read('--addresses', options.addresses, readAddresses)
  const warm_up = faults.read('--warm-up', options.warmUp, readWarmUp)
  if (options.addresses === undefined && options.warmUp === undefined)
    faults.add('--addresses', 'or --warm-up is required')
  faults.demandNone()
  const changes = { ...(addresses && { addresses }), ...(warm_up && { warm_up }) }
  if (!(await withDatabase((db) => ipPools.update(db, name, changes)))) throw unknownPool(name)
  report(options, { name, ...changes }, `IP pool ${name} changed.`)
}

async function runRemove(name: string, options: Options): Promise<void> {
  await withDatabase(async (db) => {
    if (!(await ipPools.find(db, name))) throw unknownPool(name)
    if (!(await ipPools.remove(db, name)))
      throw new CommandError(`The IP pool ${name} is assigned, or messages wait in it. Unassign it first, then retry.`)
  })
  report(options, { name, removed: true }, `IP pool ${name} deleted.`)
}

async function runAssign(name: string, options: Options): Promise<void> {
  await withDatabase(async (db) => {
    const orgId = await orgOf(db, options)
    const found = await ipPools.find(db, name)
    if (!found) throw unknownPool(name)
    if (!(await assignIpPool(db, name, orgId, actor()))) {
      const message =
        found.assigned_to === null
          ? 'The organisation has another IP pool. Unassign that pool first.'
          : `The IP pool ${name} is assigned to ${found.assigned_to}. Unassign it first.`
      throw new CommandError(message)
    }
    report(options, { name, org_id: orgId }, `All email of the organisation is now sent from the IP pool ${name}.`)
    if (!options.json && !(await ipPools.hasWorker(db, name)))
      line(
        'No worker has an address of the pool. Set MAIL_DEDICATED_ADDRESSES on a mail worker. Until then, email waits.',
      )
  })
}

async function runUnassign(options: Options): Promise<void> {
  await withDatabase(async (db) => {
    const orgId = await orgOf(db, options)
    const name = await unassignIpPool(db, orgId, actor())
    if (name === null) throw new CommandError('The organisation has no dedicated IP pool.')
    report(options, { name, org_id: orgId }, `The IP pool ${name} is no longer assigned.`)
  })
}

async function orgOf(db: Parameters<typeof findOrg>[0], { org }: Options): Promise<string> {
  const faults = new OptionErrors()
  const found = await faults.look('--org', org, (name) => findOrg(db, name))
  faults.demandNone()
  return found ?? ''
}

const unknownPool = (name: string) =>
  new CommandError(`There is no IP pool ${name}. \`millrace email ip-pools\` lists all pools.`)

function report(options: Options, facts: object, text: string): void {
  if (options.json) json(facts)
  else line(text)
}

function readName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new UsageError('must have only letters a to z, digits and hyphens, up to 40')
}

function readAddresses(text: string): ipPools.PoolAddress[] {
  const pairs = text.split(',').map((pair) => {
    const [address = '', name = ''] = pair.trim().split('=')
    if (isIP(address) === 0 || !/^[a-z0-9.-]{1,253}$/.test(name))
      throw new UsageError('must be address=name pairs, separated by commas: 192.0.2.30=mta30.example.com')
    return { address, name }
  })
  if (new Set(pairs.map(({ address }) => address)).size < pairs.length)
    throw new UsageError('must have each address only once')
  if (pairs.length > 100) throw new UsageError('must have at most 100 addresses')
  return pairs
}

function readWarmUp(text: string): ipPools.WarmUp {
  const days = text.split(',').map((pair): [number, number] => {
    if (!/^\d{1,3}:\d{1,9}$/.test(pair.trim()))
      throw new UsageError('must be day:messages pairs, separated by commas: 0:50,3:500,30:0')
    const [day = 0, messages = 0] = pair.split(':').map(Number)
    return [day, messages]
  })
  return days.toSorted(([a], [b]) => a - b)
}
