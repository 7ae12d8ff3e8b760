import { setTimeout } from 'node:timers/promises'

/** Milliseconds to the next look: a twentieth of what has been waited, so that long waits leave the machine to what they wait for. */
const pauseAfter = (waited: number) => Math.min(100, Math.max(25, waited / 20))

/**
 * Calls `check` until it answers something that is neither false, null nor undefined, and returns that; more and more
 * seldom unless `every` says how often. A throwing check counts as "not yet"; after `timeout` milliseconds its last error
 * is the cause of the one thrown.
 */
export async function until<T>(
  check: () => Promise<T> | T,
  { timeout = 30_000, every, what = 'what was waited for' }: { timeout?: number; every?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const begun = Date.now()
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
  } while (Date.now() < begun + timeout)
  throw new Error(`After ${timeout} ms, ${what} was still not so.`, { cause })
}
