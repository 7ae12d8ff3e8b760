import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '#sql/db.ts'
import * as readings from '#sql/identity/readings.ts'
import { listPoolsWithoutWorkers } from '#sql/jobs/workers.ts'

/** Timeout of a request that waits for a reading, in milliseconds. Reading an image takes one to three seconds. */
const waitMs = 12_000

/** Time in milliseconds without a heartbeat after which a pool has no worker. Requests do not wait for such a pool. */
const unmannedMs = 60_000

const [firstPollMs, mostPollMs] = [50, 500]

/**
 * Returns the reading when it has ended. Returns its current state after the timeout, or immediately if no worker can
 * read it.
 */
export async function awaitReading(
  db: Db,
  reading: readings.Reading,
  stopping: AbortSignal,
): Promise<readings.Reading> {
  if ((await listPoolsWithoutWorkers(db, ['identity-documents'], unmannedMs)).length > 0) return reading
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
