import { z } from 'zod'
import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as isolation from '#sql/files/quarantine.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { enqueueQuarantine } from './quarantine.ts'
import { enqueueRemoval } from './remove.ts'

/** Maximum number of objects per transaction, because jobs are added for each object. */
const atOnce = 200

/** Maximum duration of one sweep in milliseconds. Less than its timeout and the time to the next sweep. */
const spanMs = 4 * 60_000

export const sweep = task({
  name: 'files/sweep',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(spanMs)])
    await inBatches(inTime, (limit) => db.transaction((tx) => endAbandoned(tx, limit)), atOnce)
    await inBatches(inTime, (limit) => db.transaction((tx) => deleteOver(tx, limit)), atOnce)
  },
})

async function endAbandoned(tx: Db, limit: number): Promise<number> {
  const ended = await objects.deleteAbandoned(tx, limit)
  for (const object of ended) await enqueueRemoval(tx, object)
  return ended.length
}

/**
 * Counts only the deleted objects. Objects that leave the quarantine in the meantime end the loop, and are not listed
 * again.
 */
async function deleteOver(tx: Db, limit: number): Promise<number> {
  let deleted = 0
  for (const object of await isolation.listExpired(tx, config.QUARANTINE_DAYS, limit)) {
    const key = object.held_key
    if (key === null || !(await isolation.markBytesDeleted(tx, object.id, key))) continue
    await enqueueQuarantine(tx, object, key)
    deleted += 1
  }
  return deleted
}
