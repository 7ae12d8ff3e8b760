import type { Db } from '#sql/db.ts'
import type { BucketScan } from '#sql/files/bucket-scans.ts'
import { findAny } from '#sql/files/buckets.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Sends the event of a scan that has ended. */
export async function emitBucketScan(tx: Db, scan: BucketScan): Promise<void> {
  const bucket = await findAny(tx, scan.bucket_id)
  if (bucket === null || scan.status === 'pending' || scan.status === 'scanning') return
  const { id: scan_id, bucket_id, key, etag, byte_size, sha256, detected_type, status, reasons, error } = scan
  const what = { scan_id, bucket_id, bucket: bucket.bucket, key, version_id: scan.scanned_version }
  await emit(tx, scan.org_id, 'files.bucket_scan.judged', {
    ...what,
    ...{ etag, byte_size, sha256, detected_type, status, reasons, error },
  })
}
