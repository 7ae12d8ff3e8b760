import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { isUnconnected } from '#sql/db.ts'

/** Milliseconds between two tries. */
const pauseMs = 500

/**
 * Writes how a job ended as soon as there is a connection: what was done while Postgres was away must not cost an attempt, as long as
 * the job is this worker's.
 */
export async function onceConnected<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + config.LEASE_MS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isUnconnected(error) || performance.now() > end) throw error
      await pause(pauseMs)
    }
  }
}
