import { setTimeout as pause } from 'node:timers/promises'
import { isUnconnected } from '#sql/db.ts'

/** How often a connection is asked for, and milliseconds between: as long as a lease lasts, in all. */
const tries = 4
const pauseMs = 500

/** Writes how a job ended as soon as there is a connection: a moment without one must not cost an attempt. */
export async function onceConnected<T>(write: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await write()
    } catch (error) {
      if (left === 0 || !isUnconnected(error)) throw error
      await pause(pauseMs)
    }
  }
}
