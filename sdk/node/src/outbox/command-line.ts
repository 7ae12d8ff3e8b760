import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { MillraceError } from '../errors.ts'
import { setting } from '../transport.ts'

/** A command line that cannot be used. The process ends with status 2. */
export class UsageError extends MillraceError {
  override name = 'UsageError'
}

export const usage = `Usage: millrace-outbox COMMAND [OPTIONS]

Commands:
  install     Create or upgrade the schema millrace in the database of your application
  upgrade     Same as install, but only if the schema exists
  uninstall   Remove the schema. Fails if it has rows, unless --discard is set
  relay       Send rows until SIGTERM
  status      Print the state of the outbox as JSON

Options of all commands:
  --database URL     Database of your application. Default: DATABASE_URL

Options of install, upgrade and uninstall:
  --print            Print the SQL instead of executing it
  --grant ROLE       Role of your application. Can be repeated
  --relay-role ROLE  Role of the relay. Can be repeated
  --discard          uninstall: delete the remaining rows

Options of relay:
  --url URL          URL of the API. Default: MILLRACE_BASE_URL
  --key-file FILE    File with the API key, read again when the key is rejected. Default: MILLRACE_API_KEY
  --concurrency N    Concurrent requests per operation, 1 to 256. Default: 32
  --strict           A refused row keeps later rows of its key waiting
  --keep-sent HOURS  Hours to keep accepted rows and their responses, 0 to 8760. Default: 24
  --timeout SECONDS  Timeout of a request, 1 to 600. Default: 60
  --no-session       For PgBouncer in transaction mode: poll without LISTEN and prepared statements
  --metrics-port N   Serve /metrics and /health on this port
  --metrics-host IP  Address of this port. Default: 127.0.0.1
`

const options = {
  database: { type: 'string' },
  print: { type: 'boolean' },
  grant: { type: 'string', multiple: true },
  'relay-role': { type: 'string', multiple: true },
  discard: { type: 'boolean' },
  url: { type: 'string' },
  'key-file': { type: 'string' },
  concurrency: { type: 'string' },
  strict: { type: 'boolean' },
  'keep-sent': { type: 'string' },
  timeout: { type: 'string' },
  'no-session': { type: 'boolean' },
  'metrics-port': { type: 'string' },
  'metrics-host': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Name = keyof typeof options

const schemaOptions: readonly Name[] = ['print', 'grant', 'relay-role']

/** Options of each command, in addition to `database` and `help`. */
const commands: Record<string, readonly Name[]> = {
  install: schemaOptions,
  upgrade: schemaOptions,
  uninstall: ['print', 'discard'],
  relay: [
    ...(['url', 'key-file', 'concurrency', 'strict', 'keep-sent', 'timeout', 'no-session'] as const),
    ...(['metrics-port', 'metrics-host'] as const),
  ],
  status: [],
}

export type Values = ReturnType<typeof parse>['values']

const parse = (args: string[]) => parseArgs({ args, options, allowPositionals: true, strict: true })

/** Returns the command and its options. Throws `UsageError`. */
export function readCommand(args: string[]): { command: string; values: Values } {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    // The message can contain the value of an option, such as a URL with a password.
    throw new UsageError((error as Error).message.split(/[.=]/)[0] ?? '')
  }
  const { values, positionals } = parsed
  const [command = 'help', ...more] = positionals
  if (values.help || command === 'help') return { command: 'help', values }
  const allowed = commands[command]
  if (!allowed) throw new UsageError(`Unknown command: ${shown(command)}`)
  if (more.length > 0) {
    const given = more.map(shown).join(' ')
    throw new UsageError(`${command} takes no further arguments: ${given}. Pass the URL with --database`)
  }
  for (const name of Object.keys(values) as Name[]) {
    if (name !== 'database' && !allowed.includes(name)) throw new UsageError(`${command} has no option --${name}`)
  }
  return { command, values }
}

/** Returns an argument for a message, unless it can be a URL with a password. */
const shown = (argument: string) => (/^[\w-]{1,40}$/.test(argument) ? argument : '(hidden)')

/** Returns a whole number. Throws `UsageError` if it is outside the range. */
export function wholeNumber(
  values: Values,
  name: 'concurrency' | 'keep-sent' | 'timeout' | 'metrics-port',
  least: number,
  most: number,
) {
  const text = values[name]
  if (text === undefined) return undefined
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`)
}

/** Returns the URL of the application's database. Errors do not contain it, because it has a password. */
export function databaseUrl({ database }: Values): string {
  const url = database ?? setting('DATABASE_URL')
  if (!url) throw new UsageError('The database is not set. Pass --database, or set DATABASE_URL')
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url
  throw new UsageError('--database must be a URL such as postgres://user:password@host:5432/name')
}

/** Returns a function that reads the API key. */
export function keyReader({ 'key-file': file }: Values): (() => Promise<string>) | undefined {
  if (file === undefined) return undefined
  return async () => {
    try {
      return await readFile(file, 'utf8')
    } catch (error) {
      throw new UsageError(`--key-file cannot be read: ${(error as { code?: string }).code ?? 'unknown error'}`)
    }
  }
}
