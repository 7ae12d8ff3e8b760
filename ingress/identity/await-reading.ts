import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'

/** How long a request waits for what is read, in milliseconds: a picture takes one to three seconds. */
const waitMs = 12_000

const [firstPollMs, mostPollMs] = [50, 500]

/** The reading once it has ended, or as it is after a wait. */
export async function awaitReading(
  db: Db,
  reading: readings.Reading,
  stopping: AbortSignal,
): Promise<readings.Reading> {
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
