import type { Command } from 'commander'
import { type Config, config, Environment, isSet } from '#lib/config.ts'
import { mask, maskSecrets } from '#lib/mask.ts'
import { type Column, dim, json, table } from './output.ts'

/** `millrace config`: what this environment configures, secrets masked. */
export function declare(program: Command): void {
  program
    .command('config')
    .description('every variable: its value here with secrets masked, whether it is set, what it is for')
    .option('--json', 'for programs')
    .action(run)
}

interface Variable {
  name: string
  value: unknown
  set: boolean
  description: string
}

function run(options: { json?: boolean }): void {
  const variables = Object.entries(Environment.shape).map(([name, schema]) => ({
    name,
    value: shown(name, config[name as keyof Config]),
    set: isSet(name),
    description: schema.description ?? '',
  }))
  if (options.json) json(variables)
  else table(variables, columns, '')
}

const columns: Column<Variable>[] = [
  { heading: 'VARIABLE', text: ({ name }) => name },
  { heading: 'VALUE', text: ({ value, set }) => (set ? String(value ?? '') : dim(String(value ?? ''))) },
  { heading: 'SET', text: ({ set }) => (set ? 'yes' : dim('default')) },
  { heading: 'WHAT IT IS', text: ({ description }) => description },
]

/** A URL is shown without its password alone: where it leads is what one wants to see. */
function shown(name: string, value: unknown): unknown {
  if (value === undefined) return null
  const text = String(value)
  if (URL.canParse(text) && /^[a-z0-9+]+:\/\//i.test(text)) return withoutPassword(text)
  return Object.values(maskSecrets({ [name]: value }) as Record<string, unknown>)[0]
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  if (url.password) url.password = mask
  return decodeURI(url.href)
}
