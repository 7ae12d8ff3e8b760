import type { Command } from 'commander'
import { config, Environment, isSet } from '#lib/config.ts'
import { findHolder } from '../folder-lock.ts'
import { maskSettings } from '../start/shown-settings.ts'
import { type Column, dim, json, line, table } from './output.ts'
import { dataFolder } from './session.ts'

export function declare(program: Command): void {
  program
    .command('config')
    .description(
      'show every variable with its value in the running stack or, if none runs, in this environment; secrets are masked',
    )
    .option('--json', 'print JSON')
    .action(run)
}

interface Variable {
  name: string
  value: unknown
  set: boolean
  from: 'environment' | 'stack' | 'default'
  description: string
}

async function run(options: { json?: boolean }): Promise<void> {
  const data = dataFolder()
  const holder = await findHolder(data)
  const own = maskSettings(config)
  const variables = Object.entries(Environment.shape).map(([name, schema]): Variable => {
    const set = isSet(name)
    // Values of this environment take precedence, because other commands use these values.
    const running = set ? undefined : holder?.settings?.[name]
    const isOwn = running === undefined || String(running) === String(own[name])
    const from = set ? 'environment' : isOwn ? 'default' : 'stack'
    return { name, value: isOwn ? own[name] : running, set, from, description: schema.description ?? '' }
  })
  if (options.json) return json(variables)
  line(holder ? `Running stack in ${data} (pid ${holder.pid}):` : `This environment, because no stack runs in ${data}:`)
  table(variables, columns, '')
}

const columns: Column<Variable>[] = [
  { heading: 'VARIABLE', text: ({ name }) => name },
  { heading: 'VALUE', text: ({ value, from }) => faint(from, value) },
  { heading: 'FROM', text: ({ from }) => faint(from, from) },
  { heading: 'DESCRIPTION', text: ({ description }) => description },
]

function faint(from: Variable['from'], value: unknown): string {
  const text = String(value ?? '')
  return from === 'default' ? dim(text) : text
}
