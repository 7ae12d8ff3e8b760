#!/usr/bin/env node
/** `millrace-cli`: the command line for members of an organisation. */
import { exitStatus } from './exit-status.ts'
import { reportFailure } from './failures.ts'
import { run } from './run.ts'

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
run(args, interruption).then(
  (status) => process.exit(status),
  (failure) => {
    const aborted = (failure as { name?: string } | undefined)?.name === 'AbortError'
    process.exit(aborted ? exitStatus.interrupted : reportFailure(failure, args.includes('--json')))
  },
)
