import type { Command } from 'commander'
import { formatAmount, parseAmount } from '#lib/amount.ts'
import * as prices from '#sql/ai/prices.ts'
import { type Column, json, line, table } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { CommandError, OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('ai').description('list the prices of AI models, and set them')
  const list = command.command('prices', { isDefault: true }).description('list the prices of models, newest first')
  list.option('--all', 'also list past prices').option('--json', 'print JSON').action(runList)
  command
    .command('set-price')
    .description('set the price of a model from now on, or from a later time')
    .argument('<model>', 'name of the model on the upstream server')
    .requiredOption('--currency <code>', 'ISO 4217 code: USD')
    .requiredOption('--input <amount>', 'per million input tokens: 0.15')
    .option('--cached-input <amount>', 'per million input tokens that the server has cached; default: --input')
    .requiredOption('--output <amount>', 'per million output tokens: 0.60')
    .option('--minute <amount>', 'per minute of audio')
    .option('--from <time>', 'start in ISO 8601; default: now')
    .option('--json', 'print JSON')
    .action(runSet)
  command
    .command('remove-price')
    .description('set a model to "no price" from now on; keys with a budget can then not use it')
    .argument('<model>', 'name of the model on the upstream server')
    .option('--json', 'print JSON')
    .action(runRemove)
}

interface SetOptions {
  currency: string
  input: string
  cachedInput?: string
  output: string
  minute?: string
  from?: string
  json?: boolean
}

async function runList({ all, json: asJson }: { all?: boolean; json?: boolean }): Promise<void> {
  const found = await withDatabase((db) => prices.list(db))
  const now = new Date()
  const current = new Map<string, string>()
  for (const { id, model, valid_from } of found) {
    if (valid_from <= now && !current.has(model)) current.set(model, id)
  }
  const rows = found.filter(({ id, model, valid_from }) => all || valid_from > now || current.get(model) === id)
  if (asJson) json(rows.map(shownPrice))
  else table(rows.map(shownPrice), columns, 'No prices. The cost of all models is unknown.')
}

type ShownPrice = ReturnType<typeof shownPrice>

const amountOf = (amount: number | null) => (amount === null ? null : formatAmount(amount))

const shownPrice = ({ model, currency, valid_from, created_by, ...price }: prices.PriceRow) => ({
  model,
  currency,
  input: amountOf(price.input),
  cached_input: amountOf(price.cached_input),
  output: amountOf(price.output),
  minute: amountOf(price.minute),
  valid_from: valid_from.toISOString(),
  created_by,
})

const columns: Column<ShownPrice>[] = [
  { heading: 'MODEL', text: ({ model }) => model },
  { heading: 'CURRENCY', text: ({ currency }) => currency ?? 'no price' },
  { heading: 'INPUT', right: true, text: ({ input }) => input ?? '-' },
  { heading: 'CACHED', right: true, text: ({ cached_input }) => cached_input ?? '-' },
  { heading: 'OUTPUT', right: true, text: ({ output }) => output ?? '-' },
  { heading: 'MINUTE', right: true, text: ({ minute }) => minute ?? '-' },
  { heading: 'FROM', text: ({ valid_from }) => valid_from },
  { heading: 'BY', text: ({ created_by }) => created_by },
]

async function runSet(model: string, options: SetOptions): Promise<void> {
  const faults = new OptionErrors()
  const read = (option: string, text: string | undefined) => faults.read(option, text, readAmount)
  const price = {
    ...checkedModel(model, faults),
    currency: faults.read('--currency', options.currency, readCurrency) ?? null,
    input: read('--input', options.input) ?? null,
    cached_input: read('--cached-input', options.cachedInput) ?? null,
    output: read('--output', options.output) ?? null,
    minute: read('--minute', options.minute) ?? null,
    valid_from: faults.read('--from', options.from, readLater),
    created_by: actor(),
  }
  faults.demandNone()
  if (!(await withDatabase((db) => prices.add(db, price))))
    throw new CommandError(`${model} already has a price from this time. Set another time.`)
  if (options.json) return json({ model, set: true })
  line(`${model}: ${options.input} input and ${options.output} output ${price.currency} per million tokens.`)
}

async function runRemove(model: string, options: { json?: boolean }): Promise<void> {
  const faults = new OptionErrors()
  const none = { currency: null, input: null, cached_input: null, output: null, minute: null, created_by: actor() }
  const price = { ...checkedModel(model, faults), ...none }
  faults.demandNone()
  await withDatabase((db) => prices.add(db, price))
  if (options.json) return json({ model, set: false })
  line(`${model} has no price from now on.`)
}

function checkedModel(model: string, faults: OptionErrors): { model: string } {
  if (model.trim() === '' || model.length > 400) faults.add('model', 'must have 1 to 400 characters')
  return { model }
}

function readAmount(text: string): number {
  const amount = parseAmount(text)
  if (amount === undefined) throw new UsageError(`"${text}" is not a decimal from 0 to 9007199, such as 0.15`)
  return amount
}

function readCurrency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new UsageError(`"${text}" is not an ISO 4217 code, such as USD`)
  return text
}

/** Reads the start of a price. A start in the past would change the cost of requests that have already been charged. */
function readLater(text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new UsageError(`"${text}" is not a time in ISO 8601`)
  if (at <= new Date()) throw new UsageError('must be in the future, because past costs do not change')
  return at
}
