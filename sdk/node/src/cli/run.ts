import { findCommand, readLine } from './arguments.ts'
import { commands } from './commands.ts'
import { exitStatus } from './exit-status.ts'
import { helpOf, helpOfAll } from './help.ts'
import { openTerminal } from './terminal.ts'
import { version } from './version.ts'

/** Runs a command line. Returns the exit status. Throws `UsageError` and other errors. */
export async function run(args: readonly string[], interruption: () => AbortSignal): Promise<number> {
  const [first] = args
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const named = first === 'help' && args.length > 1
    process.stdout.write(named ? helpOf(findCommand(args.slice(1), commands).command) : helpOfAll(commands))
    return first === undefined ? exitStatus.usage : exitStatus.done
  }
  if (first === '--version') {
    process.stdout.write(`${version}\n`)
    return exitStatus.done
  }
  const { command, rest } = findCommand(args, commands)
  const { common, operands, values } = readLine(command, rest)
  if (common.help) {
    process.stdout.write(helpOf(command))
    return exitStatus.done
  }
  const terminal = openTerminal(common)
  const given = { values: values as never, operands, common, terminal, signal: interruption() }
  const status = await command.run(given)
  return typeof status === 'number' ? status : exitStatus.done
}
