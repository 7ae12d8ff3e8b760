import { type Command, commonOptions, type Operand, type Option } from './command.ts'

export const program = 'millrace-cli'

/** Returns the help text of all commands. */
export function helpOfAll(commands: readonly Command[]): string {
  return `Usage: ${program} COMMAND [OPTIONS]

Commands:
${table(commands.map(({ name, summary }) => [name, summary]))}

Options of a command: ${program} COMMAND --help

Environment variables:
${table([
  ['MILLRACE_BASE_URL', 'URL of the API, instead of the URL of the profile'],
  ['MILLRACE_API_KEY', 'API key, instead of the key of the profile'],
  ['MILLRACE_PROFILE', 'Profile to use. Default: default'],
  ['NO_COLOR', 'If set, the output has no colours'],
])}
`
}

/** Returns the help text of a command. */
export function helpOf(command: Command): string {
  const { name, summary, details, operands = [], options, examples } = command
  const parts = [
    `Usage: ${[program, name, ...operands.map(usageOf), '[OPTIONS]'].join(' ')}`,
    details ? `${summary}.\n${details}` : `${summary}.`,
    operands.length > 0 ? `Arguments:\n${table(operands.map(({ name: one, help }) => [one, help]))}` : '',
    `Options:\n${table(Object.entries({ ...options, ...commonOptions }).map(lineOf))}`,
    `Examples:\n${examples.map((line) => `  ${line}`).join('\n')}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const usageOf = ({ name, optional }: Operand) => (optional ? `[${name}]` : name)

const lineOf = ([name, { short, value, help, multiple }]: [string, Option]): [string, string] => [
  `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
  multiple ? `${help}. Can be repeated` : help,
]

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}
