import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { findAny } from '#sql/files/bucket-scans.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { bucketCopyKey } from './rules/keys.ts'

/** Delay in milliseconds until the copy of a scan is deleted. Most copies are deleted earlier, with the verdict. */
const laterMs = 2 * 60 * 60_000

/** Deletes the copy of an object from a customer’s bucket when its scan has ended or no longer exists. */
export const discardBucketCopy = task({
  name: 'files/discard-bucket-copy',
  pool: 'core',
  payload: z.object({ scanId: Id }),
  attempts: 12,
  async run({ scanId }, { db, storage, signal }) {
    const scan = await findAny(db, scanId)
    if (scan?.status === 'pending' || scan?.status === 'scanning') throw new Later(laterMs, 'the scan has not ended')
    await storage.remove(bucketCopyKey(scanId), signal)
  },
})

/**
 * Adds the deletion job before a copy starts, because a worker can be killed. The job has no organisation, because jobs
 * of a closing organisation wait and are deleted.
 */
export async function enqueueDiscardCopy(tx: Db, scanId: string): Promise<void> {
  await enqueue(tx, discardBucketCopy, { scanId }, { key: `bucket-copy:${scanId}`, at: new Date(Date.now() + laterMs) })
}
