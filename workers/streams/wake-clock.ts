import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/** Interval in milliseconds between looks for streams with waiting records. */
const lookMs = 1_000

/** Wakes streams with waiting records. Every worker of the pool runs a clock, and they share the streams. */
export function runWakeClock(wake: () => Promise<number>): AsyncDisposable {
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      await wake().catch((error) => log.warn({ err: describe(error) }, 'log streams could not be started; retrying'))
      await pause(lookMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
