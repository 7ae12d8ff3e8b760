import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/** Shortest and longest pause between checks for due jobs, in milliseconds. */
const [leastMs, mostMs] = [10, 500]

interface ClockParts {
  /** Starts a batch of due jobs. Returns true if more jobs can be due. */
  start(): Promise<boolean>
  /** Returns the milliseconds until the next job is due. Null if none waits for its time. */
  nextMs(): Promise<number | null>
}

/**
 * Starts jobs when they are due. Every worker of the pool runs a clock, and they share the jobs. A clock reads the
 * index of due jobs, so its cost does not depend on the number of waiting jobs.
 */
export function runDueClock({ start, nextMs }: ClockParts): AsyncDisposable {
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      let waitMs = mostMs
      try {
        while (!stop.signal.aborted && (await start()));
        waitMs = Math.min(mostMs, Math.max(leastMs, (await nextMs()) ?? mostMs))
      } catch (error) {
        log.warn({ err: describe(error) }, 'due jobs could not be started; retrying')
      }
      await pause(waitMs, undefined, { signal: stop.signal }).catch(() => {})
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
