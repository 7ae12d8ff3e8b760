import { setTimeout as pause } from 'node:timers/promises'
import { isUnconnected } from './db.ts'

/** Milliseconds without a possible connection after which this is no longer treated as a temporary overload. */
const usualPatience = 300_000

const nothing = () => {}

interface Waiting {
  patience?: number
  pauseMs?: number
  /** Ends the waiting, but not running work. */
  signal?: AbortSignal
}

/**
 * Repeats work while no connection to the database can be opened: Postgres is unavailable or has no free connections.
 * The work must detect what it has already done.
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
