import { setTimeout } from 'node:timers/promises'

/** Milliseconds until the next check: a twentieth of the waiting time, so long waits leave the machine to the work. */
const pauseAfter = (waited: number) => Math.min(100, Math.max(25, waited / 20))

/**
 * Calls `check` until it returns a value other than false, null or undefined, and returns this value. The intervals
 * grow unless `every` is set. An exception counts as "not yet". After `timeout` milliseconds, the last error is the
 * cause of the thrown error.
 *
 * A timeout below 10 s is part of what a test checks. A longer one only detects that something never happens, so it is
 * at least 90 s: on a busy machine with 2 cores, a worker has needed 23 s instead of 2 s to start.
 */
export async function until<T>(
  check: () => Promise<T> | T,
  { timeout = 30_000, every, what = 'what was waited for' }: { timeout?: number; every?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const begun = Date.now()
  const limit = timeout < 10_000 ? timeout : Math.max(timeout, 90_000)
  let cause: unknown
  do {
    try {
      const answer = await check()
      if (answer !== false && answer !== null && answer !== undefined) return answer as NonNullable<Exclude<T, false>>
      cause = undefined
    } catch (error) {
      cause = error
    }
    await setTimeout(every ?? pauseAfter(Date.now() - begun))
  } while (Date.now() < begun + limit)
  throw new Error(`After ${limit} ms, ${what} was still not so.`, { cause })
}
