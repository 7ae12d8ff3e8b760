import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

/** Shortest and longest pause between checks for due jobs, in milliseconds. */
const [leastMs, mostMs] = [10, 500]

/** Pause in milliseconds if due jobs exist, but other workers have locked them, or none of them may start. */
const lockedMs = 100

interface ClockParts {
  /** Starts a batch of due jobs. Returns their number. */
  start(): Promise<number>
  /** Returns the milliseconds until the next job is due. Null if none waits for its time. */
  nextMs(): Promise<number | null>
}

/**
 * Starts jobs when they are due. Every worker of the pool runs a clock, and they share the jobs. A clock reads the index
 * of due jobs, so its cost does not depend on the number of waiting jobs.
 */
export function runDueClock(parts: ClockParts): AsyncDisposable {
  const stop = new AbortController()
  const run = async () => {
    while (!stop.signal.aborted) {
      const waitMs = await tick(parts)
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

/** Starts due jobs. Returns the pause until the next check in milliseconds. */
async function tick({ start, nextMs }: ClockParts): Promise<number> {
  try {
    const next = (await nextMs()) ?? mostMs
    if (next > 0) return Math.min(mostMs, Math.max(leastMs, next))
    return (await start()) > 0 ? 0 : lockedMs
  } catch (error) {
    log.warn({ err: describe(error) }, 'due jobs could not be started; retrying')
    return mostMs
  }
}
