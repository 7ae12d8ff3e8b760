import { setTimeout } from 'node:timers/promises'

/**
 * Calls `check` until it answers something that is neither false, null nor undefined, and returns that. A throwing check
 * counts as "not yet"; after `timeout` milliseconds its last error is the cause of the one thrown.
 */
export async function until<T>(
  check: () => Promise<T> | T,
  { timeout = 15_000, every = 25, what = 'what was waited for' } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const end = Date.now() + timeout
  let cause: unknown
  do {
    try {
      const answer = await check()
      if (answer !== false && answer !== null && answer !== undefined) return answer as NonNullable<Exclude<T, false>>
      cause = undefined
    } catch (error) {
      cause = error
    }
    await setTimeout(every)
  } while (Date.now() < end)
  throw new Error(`After ${timeout} ms, ${what} was still not so.`, { cause })
}
