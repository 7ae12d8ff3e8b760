import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Maximum milliseconds that one request can block its process. */
export const mostHeldUpMs = 50

/** Returns the longest block of this process’s event loop during `work` in milliseconds, and the result. */
export async function heldUp<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const looks = monitorEventLoopDelay({ resolution: 2 })
  looks.enable()
  const result = await work()
  looks.disable()
  return { ms: looks.max / 1e6, result }
}

/**
 * Returns the minimum block of `work` in several attempts. Other work of the machine also delays it, so only the
 * minimum is valid.
 */
export async function leastHeldUp(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 6 && least > mostHeldUpMs; tries++) least = Math.min(least, (await heldUp(work)).ms)
  return Math.round(least)
}
