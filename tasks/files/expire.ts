import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { deleteExpired } from '#sql/files/changes.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { enqueueRemoval } from './remove.ts'
import { emitExpired } from './rules/emit-expired.ts'

/** Maximum number of objects per transaction. Jobs are added for each of their versions. */
const atOnce = 50

/** Maximum duration of one sweep in milliseconds. Less than the time to the next sweep. */
const spanMs = 50_000

/** Deletes expired objects. If a worker is lost, the next sweep deletes the rest. */
export const expire = task({
  name: 'files/expire',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  timeout: 60_000,
  async run(_, { db, signal }) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(spanMs)])
    await inBatches(inTime, (limit) => db.transaction((tx) => deleteBatch(tx, limit)), atOnce)
  },
})

async function deleteBatch(tx: Db, limit: number): Promise<number> {
  const deleted = await deleteExpired(tx, limit)
  for (const object of deleted) await enqueueRemoval(tx, object)
  await emitExpired(tx, deleted)
  return deleted.filter(({ version_of }) => version_of === null).length
}
