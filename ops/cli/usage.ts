import type { Command } from 'commander'
import { describe } from '#lib/errors.ts'
import { isDisconnected } from '#sql/db.ts'

/** Thrown for invalid arguments. The exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Thrown if a command fails. The exit code is 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

export class OptionErrors {
  readonly #found: string[] = []

  add(option: string, issue: string): void {
    this.#found.push(`${option}: ${issue}`)
  }

  /** Reads an option with `read`. If `read` throws, adds the exception as an error of the option. */
  read<T>(option: string, text: string | undefined, read: (text: string) => T): T | undefined {
    if (text === undefined) return undefined
    try {
      return read(text)
    } catch (error) {
      this.add(option, (error as Error).message)
      return undefined
    }
  }

  async look<T>(option: string, text: string | undefined, look: (text: string) => Promise<T>): Promise<T | undefined> {
    if (text === undefined) return undefined
    try {
      return await look(text)
    } catch (error) {
      if (!(error instanceof UsageError) && (error as Error).name !== 'UnknownNameError') throw error
      this.add(option, (error as Error).message)
      return undefined
    }
  }

  demandNone(): void {
    if (this.#found.length > 0) throw new UsageError(this.#found.join('\n'))
  }
}

export function rejectUnknownOptions(program: Command, args: string[]): void {
  let command: Command = program
  const unknown: string[] = []
  for (let i = 0; i < args.length && args[i] !== '--'; i++) {
    const arg = args[i] as string
    if (!arg.startsWith('-') || arg === '-') {
      command = command.commands.find((sub) => sub.name() === arg || sub.aliases().includes(arg)) ?? command
      continue
    }
    const name = arg.split('=')[0] as string
    const option = optionsOf(command).find(({ long, short }) => name === long || name === short)
    if (option?.required && !arg.includes('=')) i++
    if (!option && !['-h', '--help'].includes(name)) unknown.push(name)
  }
  if (unknown.length === 0) return
  const known = optionsOf(command).map(({ long }) => long)
  throw new UsageError(
    `${unknown.map((name) => `${name}: unknown option`).join('\n')}\n\`${pathOf(command)}\` accepts ${[...known, '--help'].join(', ')}.`,
  )
}

const optionsOf = (command: Command) => [
  ...command.options,
  ...command.commands.filter((sub) => sub.name() === 'list').flatMap((sub) => sub.options),
]

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

export function describeError(error: unknown): { message: string; code: number } {
  if (error instanceof UsageError || (error as Error)?.name === 'UnknownNameError') {
    return { message: (error as Error).message, code: 2 }
  }
  if (error instanceof CommandError) return { message: error.message, code: 1 }
  const text = describe(error)
  if (isDisconnected(error) || /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ConnectionError|EHOSTUNREACH/.test(text)) {
    return { message: `The database is not responding: ${text}\nRun \`millrace doctor\` for details.`, code: 1 }
  }
  // linear enough: at most 200 characters, which are checked from each start position
  if (/(?:relation|column|schema) .{1,200} does not exist/.test(text)) {
    return { message: `The database is not up to date: ${text}\nRun \`npm run migrate\`.`, code: 1 }
  }
  return { message: (error as Error)?.stack ?? text, code: 1 }
}
