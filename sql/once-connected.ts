import { setTimeout as pause } from 'node:timers/promises'
import { isUnconnected } from './db.ts'

/** Milliseconds for which no connection can be made, until nobody takes that for a machine at its limit. */
const usualPatience = 300_000

const nothing = () => {}

/** How long a connection is waited for, and how often it is tried; in milliseconds. */
interface Waiting {
  patience?: number
  pauseMs?: number
  /** Ends the waiting, not the work. */
  signal?: AbortSignal
}

/**
 * Does work with the database again for as long as no connection can be made: Postgres is away, or has given all that it has. The work
 * finds what it has done before.
 */
export async function onceConnected<T>(
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
