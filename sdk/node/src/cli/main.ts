#!/usr/bin/env node
/** `millrace-cli`: the command line for members of an organisation. */
import { findCommand, readLine } from './arguments.ts'
import { commands } from './commands.ts'
import { exitStatus } from './exit-status.ts'
import { reportFailure } from './failures.ts'
import { helpOf, helpOfAll } from './help.ts'
import { openTerminal } from './terminal.ts'

async function run(args: string[]): Promise<number> {
  const [first] = args
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const named = first === 'help' && args.length > 1
    process.stdout.write(named ? helpOf(findCommand(args.slice(1), commands).command) : helpOfAll(commands))
    return first === undefined ? exitStatus.usage : exitStatus.done
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

/** Returns a signal that the first Ctrl-C or SIGTERM aborts. The second one ends the process. */
function interruption(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(exitStatus.interrupted)
      interrupted.abort()
    })
  }
  return interrupted.signal
}

// A reader such as `head` can end before the command does.
process.stdout.on('error', () => process.exit(exitStatus.done))

const args = process.argv.slice(2)
run(args).then(
  (status) => process.exit(status),
  (failure) => {
    const aborted = (failure as { name?: string } | undefined)?.name === 'AbortError'
    process.exit(aborted ? exitStatus.interrupted : reportFailure(failure, args.includes('--json')))
  },
)
