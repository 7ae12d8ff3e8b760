import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Permanent, Rejected } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { RemoteObject } from '#lib/storage/remote-bucket.ts'
import * as plans from '#sql/account/plans.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as scans from '#sql/files/bucket-scans.ts'
import * as buckets from '#sql/files/buckets.ts'
import type { Tools } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { type Attempt, task } from '../queue/task.ts'
import { SlowServerError, TransientFetchError } from '../video/rules/import/fault.ts'
import { type PaceWatch, watchPace } from '../video/rules/import/pace.ts'
import { enqueueDiscardCopy } from './discard-bucket-copy.ts'
import { BucketFault, toBucketFault } from './rules/bucket-fault.ts'
import { emitBucketScan } from './rules/emit-bucket-scan.ts'
import { bucketCopyKey } from './rules/keys.ts'
import { scanBucketObject } from './scan-bucket-object.ts'
import { enqueueTag } from './tag-bucket-object.ts'

/** Maximum duration of a download in milliseconds. */
const longestMs = 30 * 60_000

/** Number of attempts to download an object, and of attempts in which the bucket is too slow. */
const [attempts, mostSlow] = [5, 2]

type Means = Attempt & Tools['web']

/**
 * Downloads an object of a customer’s bucket for its scan. Downloads are in the pool `web`, so that a slow bucket holds
 * no slot of the scanner.
 */
export const fetchBucketObject = task({
  name: 'files/fetch-bucket-object',
  pool: 'web',
  payload: z.object({ scanId: Id }),
  tracked: true,
  attempts,
  timeout: 40 * 60_000,
  async run({ scanId }, means) {
    const { db, own, openBucket, signal } = means
    const scan = await scans.findAny(db, scanId)
    const bucket = scan?.status === 'pending' ? await buckets.findAny(db, scan.bucket_id) : null
    if (!scan || !bucket) return
    await enqueueDiscardCopy(db, scanId)
    const remote = await openBucket(bucket, signal)
    const pace = watchPace(signal)
    const most = await maxBytes(db, scan.org_id)
    try {
      const place = { key: scan.key, version: scan.version_id }
      const options = { timeout: longestMs, maxBytes: most + 1, signal: pace.signal }
      const read = await remote.read(place, options, (object, body) =>
        object.bytes !== null && object.bytes > most
          ? Promise.resolve({ object, sha256: null })
          : store(scan, object, body, { means, pace }),
      )
      await own((tx) => proceed(tx, scan, read, most))
      await buckets.markActive(db, bucket)
    } catch (error) {
      if (signal.aborted && !(error instanceof TransientFetchError)) throw error
      const fault = finalFault(error, means.attempt)
      if (fault.code === 'access_denied' || fault.code === 'wrong_region')
        await buckets.markFailing(db, bucket, fault.message)
      await own((tx) => endWithFault(tx, scanId, fault))
      throw new Rejected(fault.message)
    } finally {
      pace.stop()
    }
  },
  async giveUp({ scanId }, _, { db }) {
    const fault = new BucketFault('unreachable', 'The object could not be read in time. Request the scan again.')
    await db.transaction((tx) => endWithFault(tx, scanId, fault))
  },
  async revive() {
    throw new Permanent('The scan has ended. The organisation must request it again.')
  },
})

/** Returns the fault that ends a scan. Throws the error if the download can be tried again. */
function finalFault(error: unknown, attempt: number): BucketFault {
  const fault = toBucketFault(error)
  if (!(fault instanceof TransientFetchError)) return fault
  const isSlow = fault instanceof SlowServerError
  if (attempt < (isSlow ? mostSlow : attempts)) throw fault
  return new BucketFault(isSlow ? 'too_slow' : 'unreachable', fault.message)
}

async function endWithFault(tx: Db, scanId: string, { code, message }: BucketFault): Promise<void> {
  const failed = await scans.fail(tx, scanId, { code, message })
  if (failed) await emitBucketScan(tx, failed)
}

async function maxBytes(db: DatabasePool, orgId: string): Promise<number> {
  return Math.min((await plans.findForOrganisation(db, orgId)).upload_bytes, config.SCAN_MAX_BYTES)
}

interface Read {
  object: RemoteObject
  /** `null` if the object is too large for a scan. */
  sha256: string | null
  bytes?: number
}

async function store(
  scan: scans.BucketScan,
  object: RemoteObject,
  body: AsyncIterable<Buffer>,
  { means, pace }: { means: Means; pace: PaceWatch },
): Promise<Read> {
  const { scratch, storage, signal } = means
  await using folder = await scratch.attempt(object.bytes ?? undefined)
  const path = join(folder.path, 'object')
  const hash = createHash('sha256')
  let bytes = 0
  const hashed = async function* () {
    for await (const chunk of body) {
      pace.came(chunk.length)
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  await pipeline(hashed, createWriteStream(path), { signal })
  if (object.bytes !== null && object.bytes !== bytes)
    throw new TransientFetchError(`The bucket sent ${bytes} of ${object.bytes} bytes.`)
  const type = { contentType: 'application/octet-stream', signal }
  await pace.while(() => storage.upload(path, bucketCopyKey(scan.id), type))
  return { object, sha256: hash.digest('hex'), bytes }
}

/** Adds the scan of the stored bytes. An object that is too large has its verdict now. */
async function proceed(tx: Db, scan: scans.BucketScan, { object, sha256, bytes }: Read, most: number): Promise<void> {
  const read = {
    etag: object.etag,
    scanned_version: object.version,
    content_type: object.contentType,
    byte_size: bytes ?? object.bytes,
    sha256,
  }
  if (sha256 !== null) {
    if (await scans.markRead(tx, scan.id, read))
      await enqueue(tx, scanBucketObject, { scanId: scan.id }, { orgId: scan.org_id, subject: scan.id })
    return
  }
  const detail = `The object has ${object.bytes} bytes. Objects of up to ${most} bytes are scanned.`
  const judged = await scans.judge(tx, scan.id, {
    ...read,
    status: 'unscannable',
    reasons: [{ code: 'too_large', detail }],
  })
  if (!judged) return
  await emitBucketScan(tx, judged)
  await enqueueTag(tx, judged)
}
