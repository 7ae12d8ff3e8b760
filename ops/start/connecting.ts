import { setTimeout as pause } from 'node:timers/promises'
import { isUnconnected } from '#sql/db.ts'

/** Milliseconds for which no connection can be made, until nobody takes that for a machine at its limit. */
const patienceMs = 300_000

const nothing = () => {}

/**
 * Does work with the database again for as long as no connection can be made, as on a machine that others use to its limit: the
 * work finds what it has done before. `pauseMs` are between two tries.
 */
export async function onceConnected<T>(
  work: () => Promise<T>,
  stop: AbortSignal,
  { patience = patienceMs, pauseMs = 1_000 } = {},
): Promise<T> {
  const begun = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (stop.aborted || !isUnconnected(error) || performance.now() - begun > patience) throw error
      await pause(pauseMs, undefined, { signal: stop }).catch(nothing)
    }
  }
}
