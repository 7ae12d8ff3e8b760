import { join } from 'node:path'
import { z } from 'zod'
import { Later, Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as scans from '#sql/files/bucket-scans.ts'
import { task } from '../queue/task.ts'
import { ScannerUnavailableError } from './engine.ts'
import { emitBucketScan } from './rules/emit-bucket-scan.ts'
import { fetchHashed } from './rules/fetch-hashed.ts'
import { bucketCopyKey } from './rules/keys.ts'
import { enqueueTag } from './tag-bucket-object.ts'

/** Delay in milliseconds until a scan is retried while the scanner is unavailable. */
const awayMs = 2_000

/** Scans the copy of an object from a customer’s bucket, and deletes the copy. */
export const scanBucketObject = task({
  name: 'files/scan-bucket-object',
  pool: 'scan',
  payload: z.object({ scanId: Id }),
  tracked: true,
  attempts: 5,
  timeout: 30 * 60_000,
  async run({ scanId }, { db, own, scanner, scratch, storage, signal }) {
    const scan = await scans.findAny(db, scanId)
    if (scan?.status !== 'scanning' || scan.byte_size === null) return
    try {
      const now = await scanner.versions(signal)
      await using folder = await scratch.attempt(2 * scan.byte_size)
      const path = join(folder.path, 'object')
      const fetched = await fetchHashed(storage, bucketCopyKey(scanId), path, signal)
      if (fetched?.sha256 !== scan.sha256) throw new Permanent('The copy of the object is no longer in storage.')
      const file = {
        path,
        size: scan.byte_size,
        name: getLastName(scan.key),
        declaredType: scan.content_type ?? 'application/octet-stream',
      }
      const { status, sniffedType, reasons } = await scanner.examine(file, { signal })
      const verdict = { status, reasons, detected_type: sniffedType, engine: now.engine }
      const versions = { signature_version: now.signatures, heuristics_version: now.heuristics }
      await own(async (tx) => {
        const judged = await scans.judge(tx, scanId, { ...verdict, ...versions })
        if (!judged) return
        await emitBucketScan(tx, judged)
        await enqueueTag(tx, judged)
      })
      await storage.remove(bucketCopyKey(scanId), signal)
    } catch (error) {
      throw error instanceof ScannerUnavailableError ? new Later(awayMs, error.message) : error
    }
  },
  async giveUp({ scanId }, _, { db }) {
    const error = { code: 'scan_failed', message: 'The scan failed repeatedly. Request it again.' }
    await db.transaction(async (tx) => {
      const failed = await scans.fail(tx, scanId, error)
      if (failed) await emitBucketScan(tx, failed)
    })
  },
  async revive() {
    throw new Permanent('The scan has ended. The organisation must request it again.')
  },
})

/** Returns the name that the scanner checks: the last part of the key. */
const getLastName = (key: string): string => key.split('/').findLast((part) => part !== '') ?? 'object'
