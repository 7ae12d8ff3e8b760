import { parseArgs } from 'node:util'
import { type Command, type CommonValues, commonOptions, type Options } from './command.ts'
import { didYouMean } from './near.ts'
import { UsageError } from './usage-error.ts'

interface Line {
  values: Record<string, string | boolean | string[] | undefined>
  operands: string[]
  common: CommonValues & { help: boolean }
}

/** Returns the command that the first one or two arguments name, and the other arguments. */
export function findCommand(args: readonly string[], commands: readonly Command[]) {
  const [first = '', second = ''] = args
  const two = commands.find(({ name }) => name === `${first} ${second}`)
  if (two) return { command: two, rest: args.slice(2) }
  const one = commands.find(({ name }) => name === first)
  if (one) return { command: one, rest: args.slice(1) }
  const inGroup = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  if (inGroup.length > 0) throw new UsageError(`\`${shown(first)}\` needs a command: ${inGroup.join(', ')}.`)
  const names = commands.map(({ name }) => name)
  throw new UsageError(`Unknown command: ${shown(first)}.${didYouMean(first, names)}`)
}

/** Parses the arguments of a command. Throws `UsageError`. */
export function readLine(command: Command, args: readonly string[]): Line {
  const options: Options = { ...command.options, ...commonOptions }
  checkNames(command.name, args, options)
  const { values, positionals } = parse(command.name, args, options)
  const { profile, json = false, help = false, ...own } = values as Record<string, never>
  if (!help) checkOperands(command, positionals)
  return { values: withDefaults(command.options, own), operands: positionals, common: { profile, json, help } }
}

function parse(name: string, args: readonly string[], options: Options) {
  const declared = Object.fromEntries(
    Object.entries(options).map(([key, { type, short, multiple }]) => [
      key,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  )
  try {
    return parseArgs({ args: [...args], options: declared, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(explained(error as Error & { code?: string }), name)
  }
}

/** Throws for an unknown option. The message has similar names and no value, because a value can be a secret. */
function checkNames(command: string, args: readonly string[], options: Options): void {
  for (const arg of args) {
    if (arg === '--') return
    const [, name] = /^--([^=]+)/.exec(arg) ?? []
    if (name === undefined || Object.hasOwn(options, name)) continue
    const near = didYouMean(name, Object.keys(options)).replace(/(?<=[ ])(?=[a-z])/g, '--')
    throw new UsageError(`\`${command}\` has no option --${shown(name)}.${near}`, command)
  }
}

/** Returns the message of a parse error without values. */
function explained({ code, message }: Error & { code?: string }): string {
  const [, option = ''] = /'(?:-\w, )?(--?[\w-]+)/.exec(message) ?? []
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option: ${option}.`
  if (/ambiguous/.test(message)) return `\`${option}\` needs a value. If it starts with -, write ${option}=VALUE.`
  if (/argument missing/.test(message)) return `\`${option}\` needs a value.`
  if (/does not take an argument/.test(message)) return `\`${option}\` takes no value.`
  return 'The arguments are invalid.'
}

function checkOperands({ name, operands = [] }: Command, given: readonly string[]): void {
  const missing = operands.slice(given.length).filter(({ optional }) => !optional)
  if (missing.length > 0) {
    const names = missing.map((one) => one.name).join(' and ')
    const [choices] = missing.flatMap((one) => (Array.isArray(one.choices) ? [one.choices] : []))
    const allowed = choices ? ` ${names} must be one of ${choices.join(', ')}.` : ''
    throw new UsageError(`\`${name}\` needs ${names}.${allowed}`, name)
  }
  const more = given.slice(operands.length)
  if (more.length > 0) throw new UsageError(`\`${name}\` takes no argument ${more.map(shown).join(' ')}.`, name)
}

function withDefaults(options: Options, given: Record<string, unknown>): Line['values'] {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => [
      name,
      (given[name] ?? (type === 'boolean' ? false : multiple ? [] : undefined)) as Line['values'][string],
    ]),
  )
}

/** Returns an argument for a message, unless it can be a secret. */
export const shown = (argument: string): string =>
  /^[\w.:-]{1,40}$/.test(argument) && !/^(bt|whsec)_/.test(argument) ? argument : '(hidden)'
