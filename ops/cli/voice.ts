import type { Command } from 'commander'
import { newId } from '#lib/ids.ts'
import { readTelephoneNumber } from '#lib/telephone-number.ts'
import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as calls from '#sql/voice/calls.ts'
import * as numbers from '#sql/voice/numbers.ts'
import * as rules from '#sql/voice/rules.ts'
import * as trunks from '#sql/voice/trunks.ts'
import { findOrg } from './filters.ts'
import { type Column, json, line, red, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { CommandError, OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program
    .command('voice')
    .description('assign phone numbers to organisations, and set their call limits')
  command
    .command('numbers', { isDefault: true })
    .description('list the numbers of every organisation')
    .option('--json', 'print JSON')
    .action(runNumbers)
  command
    .command('add-number')
    .description('assign a number to an organisation for outgoing calls')
    .argument('<number>', 'in E.164: +3726000001')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .option('-n, --name <name>', 'display name; default: the number')
    .option('--json', 'print JSON')
    .action(runAdd)
  for (const [verb, about] of Object.entries(verbs)) {
    command
      .command(verb)
      .description(about)
      .argument('<number>')
      .action((number: string) => runVerb(verb as keyof typeof verbs, number))
  }
  command
    .command('rules')
    .description('set call limits of an organisation or one of its keys; omitted options stay unchanged')
    .requiredOption('-o, --org <org>', 'organisation ID or name')
    .option('-k, --key <id>', 'set the limits only for this key of the organisation')
    .option('--countries <list>', 'allowed country codes, separated by commas, such as EE,FI')
    .option('--max-concurrent <number>', 'maximum number of concurrent calls')
    .option('--max-per-day <number>', 'maximum number of calls in 24 hours; 0 allows none')
    .option('--json', 'print JSON')
    .action(runRules)
  command
    .command('trunks')
    .description('list trunks with the latest state seen by a running worker')
    .option('--json', 'print JSON')
    .action(runTrunks)
  command
    .command('hangup')
    .description('end a call')
    .argument('<id>', 'call ID from the console or the API')
    .action(runHangup)
}

async function runTrunks(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(trunks.latest)
  if (options.json) return json(found)
  table(found, trunkColumns, 'No worker has a trunk. Set SIP_TRUNKS.')
}

const trunkColumns: Column<Awaited<ReturnType<typeof trunks.latest>>[number]>[] = [
  { heading: 'TRUNK', text: ({ name }) => name },
  { heading: 'IS', text: ({ reachable }) => (reachable ? 'reachable' : red('away')) },
  { heading: 'ROUND TRIP', text: ({ rtt_ms }) => (rtt_ms === null ? '–' : `${rtt_ms} ms`) },
  { heading: 'ASKED', text: ({ last_checked_at }) => when(last_checked_at) },
  { heading: '', text: ({ last_error }) => last_error ?? '' },
]

const verbs = {
  'suspend-number': 'suspend outgoing calls from a number',
  'activate-number': 'allow outgoing calls from a number again',
  'remove-number': 'remove a number from its organisation',
}

async function runNumbers(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(numbers.listAny)
  if (options.json) return json(found)
  table(found, columns, 'No organisation has a number.')
}

const columns: Column<Awaited<ReturnType<typeof numbers.listAny>>[number]>[] = [
  { heading: 'NUMBER', text: ({ number }) => number },
  { heading: 'NAME', text: ({ friendly_name }) => friendly_name },
  { heading: 'COUNTRY', text: ({ country }) => country },
  { heading: 'TYPE', text: ({ type }) => type },
  { heading: 'ORGANISATION', text: ({ org }) => org },
  { heading: '', text: ({ status }) => (status === 'suspended' ? red('suspended') : '') },
]

async function runAdd(text: string, options: { org: string; name?: string; json?: boolean }) {
  const added = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('--org', options.org, (name) => findOrg(db, name))) ?? ''
    const read = readTelephoneNumber(text)
    if (typeof read === 'string') faults.add('number', `"${text}" ${read}`)
    faults.demandNone()
    if (typeof read === 'string') throw new UsageError(read)
    const friendly_name = options.name ?? read.number
    const row = await numbers.insert(db, { id: newId(), org_id: orgId, ...read, friendly_name })
    if (!row) throw new CommandError(`${read.number} is already assigned. \`millrace voice\` lists all numbers.`)
    return row
  })
  if (options.json) return json(added)
  line(`${added.number} (${added.type}, ${added.country}) is assigned to the organisation.`)
}

async function runVerb(verb: keyof typeof verbs, number: string): Promise<void> {
  const done = await withDatabase((db) =>
    verb === 'remove-number'
      ? numbers.remove(db, number)
      : numbers.setStatus(db, number, verb === 'suspend-number' ? 'suspended' : 'active'),
  )
  if (!done) throw new CommandError(`${number} is not assigned. \`millrace voice\` lists all numbers.`)
  line('Done.')
}

interface RuleOptions {
  org: string
  key?: string
  countries?: string
  maxConcurrent?: string
  maxPerDay?: string
  json?: boolean
}

async function runRules(options: RuleOptions): Promise<void> {
  const rule = await withDatabase(async (db) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('--org', options.org, (name) => findOrg(db, name))) ?? ''
    const keyId = (await faults.look('--key', options.key, (id) => findKey(db, id))) ?? null
    const countries = faults.read('--countries', options.countries, readCountries)
    const max_concurrent = faults.read('--max-concurrent', options.maxConcurrent, readCount)
    const max_per_day = faults.read('--max-per-day', options.maxPerDay, readCount)
    faults.demandNone()
    return await rules.set(db, {
      org_id: orgId,
      key_id: keyId,
      ...(countries && { countries }),
      ...(max_concurrent !== undefined && { max_concurrent }),
      ...(max_per_day !== undefined && { max_per_day }),
    })
  })
  if (options.json) return json(rule)
  const said = (value: unknown) => (value === null ? 'as by default' : String(value))
  line(
    `countries: ${said(rule.countries)}; concurrent: ${said(rule.max_concurrent)}; in 24 hours: ${said(rule.max_per_day)}`,
  )
}

async function findKey(db: Db, id: string): Promise<string> {
  const found = await keys.findAny(db, id).catch(() => null)
  if (!found) throw new UsageError(`unknown key "${id}"; \`millrace keys\` lists all`)
  return found.id
}

function readCountries(text: string): string[] {
  const countries = text.split(',').map((country) => country.trim().toUpperCase())
  if (countries.every((country) => /^[A-Z]{2}$/.test(country))) return countries
  throw new UsageError('must be two-letter country codes, separated by commas')
}

function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError('must be a whole number')
}

async function runHangup(id: string): Promise<void> {
  const ended = await withDatabase((db) => db.transaction((tx) => calls.requestHangupOfAny(tx, id)))
  if (!ended) throw new CommandError(`Call ${id} does not exist or has ended.`)
  line('The call ends within a second.')
}
