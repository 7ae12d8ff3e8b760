import { z } from 'zod'
import { Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { RemoteBucket } from '#lib/storage/remote-bucket.ts'
import type { Db } from '#sql/db.ts'
import * as scans from '#sql/files/bucket-scans.ts'
import * as buckets from '#sql/files/buckets.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { TransientFetchError } from '../video/rules/import/fault.ts'
import { BucketFault, toBucketFault } from './rules/bucket-fault.ts'

export const verdictTag = 'millrace-verdict'

/** Maximum number of tags that S3 allows. */
const maxTags = 10

/** Writes the verdict of a scan as a tag of the object. Other tags stay. */
export const tagBucketObject = task({
  name: 'files/tag-bucket-object',
  pool: 'web',
  payload: z.object({ scanId: Id }),
  tracked: true,
  attempts: 8,
  timeout: 2 * 60_000,
  async run({ scanId }, { db, openBucket, signal }) {
    const scan = await scans.findAny(db, scanId)
    const bucket = scan?.tag === 'waiting' ? await buckets.findAny(db, scan.bucket_id) : null
    if (!scan || !bucket) return
    if (!bucket.writes_tags) return await scans.setTag(db, scanId, 'off')
    try {
      const isSame = await writeTag(await openBucket(bucket, signal), scan)
      await scans.setTag(db, scanId, isSame ? 'written' : 'changed')
    } catch (error) {
      const fault = toBucketFault(error)
      if (fault instanceof TransientFetchError) throw fault
      await scans.setTag(db, scanId, fault.code === 'not_found' ? 'changed' : 'failed', fault.message)
      throw new Rejected(fault.message)
    }
  },
  async giveUp({ scanId }, error, { db }) {
    await scans.setTag(db, scanId, 'failed', error.message)
  },
  async revive() {
    throw new Permanent('The organisation must request the scan again.')
  },
})

export async function enqueueTag(tx: Db, scan: scans.BucketScan): Promise<void> {
  if (scan.tag !== 'waiting') return
  await enqueue(tx, tagBucketObject, { scanId: scan.id }, { orgId: scan.org_id, subject: scan.id })
}

/**
 * Tags the scanned bytes. Returns false if the object was replaced. In a bucket with versions, the tag belongs to the
 * scanned version. In other buckets, S3 has no condition for tags. So the object is compared before and after, and the
 * tag is removed from a new object.
 */
async function writeTag(remote: RemoteBucket, scan: scans.BucketScan): Promise<boolean> {
  const version = scan.scanned_version === 'null' ? null : scan.scanned_version
  const place = { key: scan.key, version }
  const isScanned = async () => version !== null || isSameTag((await remote.head(place)).etag, scan.etag)
  if (!(await isScanned())) return false
  const tags = await remote.readTags(place)
  if (!tags.has(verdictTag) && tags.size >= maxTags)
    throw new BucketFault('rejected', `The object already has ${tags.size} tags. S3 allows ${maxTags}. Remove a tag.`)
  await remote.writeTags(place, new Map(tags).set(verdictTag, scan.status))
  if (await isScanned()) return true
  const now = await remote.readTags(place)
  if (now.delete(verdictTag)) await remote.writeTags(place, now)
  return false
}

const isSameTag = (one: string, other: string | null): boolean =>
  one.replaceAll('"', '') === (other ?? '').replaceAll('"', '')
