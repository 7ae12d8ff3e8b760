import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'

/** Maximum wait of a request for its scan in milliseconds. Most scans need a tenth of this time. */
const waitMs = 2_500

const firstPollMs = 20

/** Returns the object after its scan has ended, or after a short wait. */
export async function awaitVerdict(
  db: Db,
  object: objects.FileObject,
  stopping: AbortSignal,
): Promise<objects.FileObject> {
  const end = performance.now() + waitMs
  let now = object
  for (let delay = firstPollMs; isOpen(now) && performance.now() < end && !stopping.aborted; delay *= 1.6) {
    await pause(Math.min(delay, end - performance.now()))
    now = (await objects.findAny(db, object.id)) ?? now
  }
  return now
}

const isOpen = ({ scan_status }: objects.FileObject) => scan_status === 'pending' || scan_status === 'scanning'
