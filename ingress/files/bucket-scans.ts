import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/files/bucket-scans.ts'
import * as buckets from '#sql/files/buckets.ts'
import { fetchBucketObject } from '#tasks/files/fetch-bucket-object.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Sha256 } from './fields.ts'
import { Reason } from './present.ts'

/** Maximum length of a key in bytes, as in S3. */
const maxKeyBytes = 1_024

const Key = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= maxKeyBytes, `must have up to ${maxKeyBytes} bytes`)
  .refine(
    (text) => !text.split('/').some((name) => name === '.' || name === '..'),
    'must not contain the names `.` and `..`, because URLs cannot contain them',
  )
  .describe('Key of the object in the bucket')

const BucketScan = z
  .object({
    scan_id: Id,
    bucket_id: Id,
    key: z.string(),
    version_id: z.string().nullable().describe('Requested version. `null`: the current version.'),
    status: rows.Status.describe('`pending` until the object was read, `scanning` until the verdict'),
    error: rows.ScanError.nullable().describe(
      'Reason why there is no verdict. Codes: `access_denied`, `not_found`, `wrong_region`, `address_refused`, `rejected`, `too_slow`, `unreachable`, `scan_failed`.',
    ),
    etag: z.string().nullable().describe('ETag of the scanned bytes'),
    scanned_version: z.string().nullable().describe('Scanned version. `null` if the bucket has no versions.'),
    byte_size: z.int().nullable(),
    sha256: z.string().nullable(),
    content_type: z.string().nullable(),
    detected_type: z.string().nullable(),
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    heuristics_version: z.string().nullable(),
    reasons: z.array(Reason),
    tag: rows.TagState.describe(
      '`written`: the object has the tag. `changed`: the object was replaced or deleted, so its tag was not written. `failed`: see `tag_error`. `off`: no tag is written.',
    ),
    tag_error: z.string().nullable(),
    created_at: Instant,
    finished_at: Instant.nullable(),
  })
  .meta({ id: 'files.BucketScan' })

const present = ({ id, org_id: _, ...row }: rows.BucketScan): z.input<typeof BucketScan> => ({ ...row, scan_id: id })

export const request = route({
  method: 'POST',
  path: '/bucket-scans',
  summary: 'Scan an object in your bucket',
  description:
    'Reads the object from your bucket, scans it and deletes the copy. The verdict is stored, sent as the event `files.bucket_scan.judged`, and written as a tag.',
  scope: 'files:write',
  body: z.strictObject({
    bucket_id: Id.describe('Your bucket connection'),
    key: Key,
    version_id: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .describe('Version of the object. Default: the current version.'),
  }),
  status: 202,
  reply: BucketScan,
  problems: ['not_found'],
  enqueues: fetchBucketObject,
  limit: { perMinute: 600, by: 'org' },
  example: { body: { bucket_id: '0198f1c2-7f00-7000-8000-000000000b10', key: 'inbox/invoice.pdf' } },
  async handle({ body: { bucket_id, key, version_id = null }, org, db }) {
    return await db.transaction(async (tx) => {
      const bucket = await mustFind(buckets.find(tx, org.id, bucket_id), 'bucket')
      const tag = bucket.writes_tags ? ('waiting' as const) : ('off' as const)
      const scan = await rows.insert(tx, { id: newId(), org_id: org.id, bucket_id, key, version_id, tag })
      await enqueue(tx, fetchBucketObject, { scanId: scan.id }, { orgId: org.id, subject: scan.id })
      return present(scan)
    })
  },
})

export const read = route({
  method: 'GET',
  path: '/bucket-scans/{id}',
  summary: 'Read the scan of an object in your bucket',
  description: 'Returns the status, the verdict and the state of the tag.',
  scope: 'files:read',
  params: z.object({ id: pathId('scan') }),
  status: 200,
  reply: BucketScan,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.id), 'scan')),
})

export const list = listRoute({
  path: '/bucket-scans',
  summary: 'List scans of objects in your buckets, newest first',
  description: 'Returns scans with their verdicts. Filters select a bucket, a key, a status, a tag or a hash.',
  scope: 'files:read',
  filters: rows.filters,
  query: {
    bucket_id: Id.optional(),
    key: Key.optional(),
    status: rows.Status.optional(),
    sha256: Sha256.optional(),
    tag: rows.TagState.optional(),
  },
  item: BucketScan,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})
