import type { Command } from 'commander'
import * as plans from '#sql/account/plans.ts'
import { type Column, json, line, number, table } from './output.ts'
import { withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

const dashed = (name: string) => name.replaceAll('_', '-')
const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

export function declare(program: Command): void {
  const command = program.command('plans').description('list plans, and set their limits')
  command
    .command('list', { isDefault: true })
    .description('list plans, smallest first')
    .option('--json', 'print JSON')
    .action(runList)
  const set = command
    .command('set')
    .description('change the limits of a plan, or create a plan from another plan')
    .argument('<name>')
    .option('--from <plan>', 'plan to copy when you create a new plan', 'free')
  for (const name of plans.limitNames) {
    const { unit, description } = plans.limits[name]
    set.option(`--${dashed(name)} <${unit}>`, unit === 'bytes' ? `${description}: 1000, 5GiB` : description)
  }
  set.option('--json', 'print JSON').action(runSet)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase(plans.list)
  if (options.json) return json(found)
  const rows = (['name', ...plans.limitNames] as const).map((limit) => ({
    limit,
    values: found.map((plan) => plan[limit]),
  }))
  const columns: Column<(typeof rows)[number]>[] = found.map((_, i) => ({
    heading: '',
    right: true,
    text: ({ values }) => (typeof values[i] === 'number' ? number(values[i]) : String(values[i])),
  }))
  table(rows, [{ heading: '', text: ({ limit }) => limit }, ...columns], 'No plans.')
}

async function runSet(name: string, options: Record<string, string | boolean | undefined>): Promise<void> {
  const faults = new OptionErrors()
  const changes: Partial<Record<plans.LimitName, number>> = {}
  for (const limit of plans.limitNames) {
    const value = faults.read(`--${dashed(limit)}`, options[camel(limit)] as string | undefined, readNumber)
    if (value !== undefined) changes[limit] = value
  }
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name))
    faults.add('name', 'must have only lower-case letters, digits and dashes')
  const plan = await withDatabase(async (db) => {
    const all = await plans.list(db)
    const base = all.find((each) => each.name === name) ?? all.find((each) => each.name === options.from)
    if (!base)
      faults.add('--from', `unknown plan "${options.from}"; the plans are ${all.map((each) => each.name).join(', ')}`)
    faults.demandNone()
    const next = { ...(base as plans.Plan), ...changes, name }
    await plans.put(db, next)
    return next
  })
  if (options.json) return json(plan)
  line(`Plan ${name}: ${plans.limitNames.map((limit) => `${limit} ${number(plan[limit])}`).join(', ')}.`)
}

const sizes: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

function readNumber(text: string): number {
  const [, digits, unit = ''] = /^(\d+)(KiB|MiB|GiB|TiB)?$/.exec(text) ?? []
  const value = Number(digits) * (sizes[unit] ?? 1)
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`"${text}" is not a whole number above 0`)
  return value
}
