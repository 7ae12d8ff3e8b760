import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Metadata = z.record(z.string(), z.string())

const FileObject = z.strictObject({
  object_id: Id,
  product_key: z.string(),
  tenant_id: z.string().nullable(),
  filename: z.string(),
  content_type: z.string(),
  byte_size: z.number(),
  sha256: z.string(),
  version_of: Id.nullable().describe('Object of which this is a later version'),
  version: z.int(),
  scan_status: z.enum(['clean', 'infected']),
  metadata: Metadata,
  folder: z.string().describe('Empty if the object has no folder'),
  reasons: z.array(z.unknown()).describe('Findings, with their scanner'),
  released: z.boolean().describe('True if an operator released the file despite the findings'),
})

const object: z.input<typeof FileObject> = {
  object_id: createSampleId(30),
  product_key: 'shop',
  tenant_id: null,
  filename: 'invoice.pdf',
  content_type: 'application/pdf',
  byte_size: 48_211,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  version_of: null,
  version: 1,
  scan_status: 'clean',
  metadata: { order: '1042' },
  folder: 'invoices/2026',
  reasons: [],
  released: false,
}

const Judged = FileObject.extend({
  sha256: z.string().nullable().describe('`null` if the first scan failed'),
  detected_type: z.string().nullable(),
  scan_status: z.enum(['clean', 'infected', 'suspicious', 'unscannable', 'error']),
  cause: z
    .enum(['upload', 'requested', 'signatures', 'same_bytes', 'release'])
    .describe('Reason of the verdict. `same_bytes`: another file with the same content was found infected.'),
  scan_id: Id,
})

const Expired = z.strictObject({
  object_id: Id,
  product_key: z.string(),
  tenant_id: z.string(),
  filename: z.string(),
  folder: z.string(),
  metadata: Metadata,
  expires_at: Time,
})

const BucketScan = z.strictObject({
  scan_id: Id,
  bucket_id: Id.describe('Your bucket connection'),
  bucket: z.string(),
  key: z.string(),
  version_id: z.string().nullable().describe('Version that was scanned. `null` if the bucket has no versions.'),
  etag: z.string().nullable(),
  byte_size: z.number().nullable(),
  sha256: z.string().nullable(),
  detected_type: z.string().nullable(),
  status: z.enum(['clean', 'infected', 'suspicious', 'unscannable', 'error']),
  reasons: z.array(z.unknown()),
  error: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Reason why there is no verdict'),
})

export const files = {
  'files.object.clean': kind('A file has passed the malware scan.', FileObject, object),
  'files.object.infected': kind('A file was quarantined because it contains malware.', FileObject, {
    ...object,
    scan_status: 'infected',
    reasons: [{ scanner: 'clamav', verdict: 'Eicar-Test-Signature' }],
  }),
  'files.object.judged': kind('A file has a verdict: clean, infected, suspicious, unscannable or error.', Judged, {
    ...object,
    detected_type: 'application/pdf',
    scan_status: 'unscannable',
    reasons: [{ code: 'encrypted', detail: 'The PDF needs a password.' }],
    cause: 'upload',
    scan_id: createSampleId(31),
  }),
  'files.object.expired': kind('A file was deleted because its `expires_at` has passed.', Expired, {
    object_id: createSampleId(30),
    product_key: 'shop',
    tenant_id: 'acme',
    filename: 'invoice.pdf',
    folder: 'invoices/2026',
    metadata: { order: '1042' },
    expires_at: sampleTime,
  }),
  'files.bucket_scan.judged': kind('The scan of an object in your own bucket has ended.', BucketScan, {
    scan_id: createSampleId(32),
    bucket_id: createSampleId(33),
    bucket: 'customer-uploads',
    key: 'inbox/invoice.pdf',
    version_id: null,
    etag: '"9b2cf535f27731c974343645a3985328"',
    byte_size: 48_211,
    sha256: object.sha256,
    detected_type: 'application/pdf',
    status: 'clean',
    reasons: [],
    error: null,
  }),
}
