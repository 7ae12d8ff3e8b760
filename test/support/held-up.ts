import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds that one request may hold up everything else in its process. */
export const mostHeldUpMs = 50

/** Returns how many milliseconds this process's event loop was held up at most while `work` was done, and what it returned. */
export async function heldUp<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const looks = monitorEventLoopDelay({ resolution: 2 })
  looks.enable()
  const result = await work()
  looks.disable()
  return { ms: looks.max / 1e6, result }
}

/**
 * Returns the least that `work` has held up the event loop in some attempts. What else the machine does holds it up, too, so only the
 * least is the work's own.
 */
export async function leastHeldUp(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 6 && least > mostHeldUpMs; tries++) least = Math.min(least, (await heldUp(work)).ms)
  return Math.round(least)
}
