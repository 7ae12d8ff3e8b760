/** `npm start`: runs everything on one machine as a supervised tree of processes. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { lockFolder } from '../folder-lock.ts'
import { runStack } from './stack.ts'
import { say } from './terminal.ts'

const data = resolve(config.MILLRACE_DATA)
const stopping = new AbortController()
process.umask(0o077)

// npm also forwards the terminal’s Ctrl-C, so two signals arrive within a millisecond.
const sameMs = 1_000
let askedAt = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (askedAt > 0 && performance.now() - askedAt < sameMs) return
    // The second request exits immediately. The kernel ends the parts with this process.
    if (stopping.signal.aborted) process.exit(130)
    askedAt = performance.now()
    say('millrace', `stopping on ${signal}; repeat it to stop immediately`)
    stopping.abort()
  })
}

try {
  await lockFolder(data)
  await mkdir(join(data, 'logs'), { recursive: true })
  await runStack(data, stopping.signal)
  say('millrace', 'stopped')
  process.exit(0)
} catch (error) {
  say('millrace', error instanceof Error && !error.cause ? error.message : describe(error))
  process.exit(1)
}
