import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as buckets from '#sql/files/buckets.ts'
import { task } from '../queue/task.ts'
import { toBucketFault } from './rules/bucket-fault.ts'

export type BucketTest = { ok: true; error: null } | { ok: false; error: { code: string; message: string } }

/** Lists one object of a customer’s bucket, to find out whether its connection works. */
export const testBucket = task({
  name: 'files/test-bucket',
  pool: 'web',
  payload: z.object({ bucketId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 30_000,
  async run({ bucketId }, { db, openBucket, signal }): Promise<BucketTest> {
    const bucket = await buckets.findAny(db, bucketId)
    if (!bucket) throw new Permanent('The bucket was deleted.')
    try {
      await (await openBucket(bucket, signal)).check()
    } catch (error) {
      const fault = toBucketFault(error)
      const code = 'code' in fault ? String(fault.code) : 'unreachable'
      await buckets.markFailing(db, bucket, fault.message)
      return { ok: false, error: { code, message: fault.message } }
    }
    await buckets.markActive(db, bucket)
    return { ok: true, error: null }
  },
})
