import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { unmanned } from '#sql/jobs/workers.ts'

/** How long a request waits for what is read, in milliseconds: a picture takes one to three seconds. */
const waitMs = 12_000

/** A pool of which no worker has beaten for so long has none, in milliseconds: nobody is to wait for it. */
const unmannedMs = 60_000

const [firstPollMs, mostPollMs] = [50, 500]

/** The reading once it has ended, or as it is after a wait; at once where no worker could read it. */
export async function awaitReading(
  db: Db,
  reading: readings.Reading,
  stopping: AbortSignal,
): Promise<readings.Reading> {
  if ((await unmanned(db, ['identity-documents'], unmannedMs)).length > 0) return reading
  const end = performance.now() + waitMs
  let now = reading
  let delay = firstPollMs
  while (now.status === 'waiting' && performance.now() < end && !stopping.aborted) {
    await pause(Math.min(delay, end - performance.now()))
    delay = Math.min(mostPollMs, delay * 1.6)
    now = (await readings.find(db, reading.org_id, reading.object_id)) ?? now
  }
  return now
}
