import { setTimeout as pause } from 'node:timers/promises'
import { isUnconnected } from './db.ts'

/**
 * Time without a possible connection in milliseconds. After this time, the failure is no longer treated as a temporary
 * overload.
 */
const usualPatience = 300_000

const nothing = () => {}

interface Waiting {
  patience?: number
  pauseMs?: number
  /** Stops the waiting for a connection. Running work continues. */
  signal?: AbortSignal
}

/**
 * Repeats work while no database connection can be opened: Postgres is unavailable or has no free connections. The work
 * must detect which of its steps are already done.
 */
export async function retryUntilConnected<T>(
  work: () => Promise<T>,
  { patience = usualPatience, pauseMs = 500, signal }: Waiting = {},
): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || !isUnconnected(error) || performance.now() > end) throw error
      await pause(pauseMs, undefined, signal && { signal }).catch(nothing)
    }
  }
}
