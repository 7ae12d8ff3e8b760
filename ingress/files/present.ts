import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as facts from '#sql/files/images/facts.ts'
import { Metadata } from '#sql/files/object-metadata.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import * as versions from '#sql/files/versions.ts'
import { Instant } from '../http/instant.ts'
import { getFileUrl } from './delivery/urls.ts'

export const Reason = scans.Reason.meta({ id: 'files.Reason' })

const Verdict = z
  .object({
    scan_id: Id,
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    heuristics_version: z.string().nullable(),
    reasons: z.array(Reason).describe('Reasons why the object is not clean'),
    scanned_at: Instant.nullable(),
  })
  .meta({ id: 'files.Verdict' })

export const Summary = z
  .object({
    object_id: Id,
    product_key: z.string(),
    tenant_id: z.string(),
    filename: z.string(),
    content_type: z.string().describe('Media type that the uploader declared'),
    detected_type: z.string().nullable().describe('Media type detected from the content'),
    byte_size: z.int(),
    sha256: z.string().nullable().describe('SHA-256 of the scanned file, in hex'),
    scan_status: objects.ScanStatus.describe(
      'Only `clean` objects can be downloaded. A `released` object is also `clean`.',
    ),
    quarantined: z
      .boolean()
      .describe('True if the file was found to be infected and is in quarantine or already deleted'),
    released: z.boolean().describe('True if an operator allows the download despite the verdict'),
    version: z.int().describe('Version that these fields describe: the newest clean version, if one exists'),
    visibility: objects.Visibility.describe('Who can load the file by its URL'),
    url: z.url().nullable().describe('URL that everyone can load. `null` unless `visibility` is `public`.'),
    metadata: Metadata,
    folder: z.string().describe('Folder of the object. Empty if it is in none.'),
    expires_at: Instant.nullable().describe('Time at which the object is deleted. `null`: never.'),
    uploaded_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'files.ObjectSummary' })

const ImageFacts = z.object({ width: z.int(), height: z.int(), blurhash: z.string() }).meta({ id: 'files.ImageFacts' })

export const FileObject = Summary.extend({
  image: ImageFacts.nullable().describe(
    'Size and blurhash of a clean image. `null` for other files and until they are read.',
  ),
  verdict: Verdict.nullable().describe('`null` until the first scan has finished'),
  newest_version: z
    .object({ object_id: Id, version: z.int(), scan_status: objects.ScanStatus })
    .nullable()
    .describe('Newer version that is not served because it is not clean'),
}).meta({ id: 'files.Object' })

export const Scan = z
  .object({
    scan_id: Id,
    cause: scans.Scan.shape.cause,
    status: scans.Scan.shape.status,
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    heuristics_version: z.string().nullable(),
    reasons: z.array(Reason),
    created_at: Instant,
    finished_at: Instant.nullable(),
  })
  .meta({ id: 'files.Scan' })

export function summarize(object: objects.FileObject, origin: string, objectId = object.id): z.input<typeof Summary> {
  return {
    object_id: objectId,
    product_key: object.product_key,
    tenant_id: object.tenant_id,
    filename: object.filename,
    content_type: object.content_type,
    detected_type: object.sniffed_type,
    byte_size: object.byte_size,
    sha256: object.sha256,
    scan_status: object.scan_status,
    quarantined: object.place === 'quarantine' || object.place === 'gone',
    released: object.release_id !== null && object.scan_status === 'clean',
    version: object.version,
    visibility: object.visibility,
    url: object.visibility === 'public' ? getFileUrl(origin, object.version_of ?? objectId, object.filename) : null,
    metadata: object.metadata,
    folder: object.folder,
    expires_at: object.expires_at,
    uploaded_at: object.uploaded_at,
    created_at: object.created_at,
  }
}

/**
 * Returns an object with its verdict. The ID of the first version returns the served version. The ID of a later version
 * returns only that version.
 */
export async function present(db: Db, object: objects.FileObject, origin: string): Promise<z.input<typeof FileObject>> {
  const all = object.version_of === null ? await versions.list(db, object.id) : [object]
  const told = versions.selectServed(all) ?? object
  const newest = all.find(({ version }) => version > told.version)
  const scan = told.scan_id === null ? null : await scans.find(db, told.scan_id)
  return {
    ...summarize(told, origin, object.id),
    image: await readImage(db, told),
    verdict: scan?.finished_at ? verdictOf(scan) : null,
    newest_version: newest ? { object_id: newest.id, version: newest.version, scan_status: newest.scan_status } : null,
  }
}

function verdictOf(scan: scans.Scan): z.input<typeof Verdict> {
  const { id, engine, signature_version, heuristics_version, reasons, finished_at } = scan
  return { scan_id: id, engine, signature_version, heuristics_version, reasons, scanned_at: finished_at }
}

async function readImage(db: Db, { id, scan_status }: objects.FileObject): Promise<z.input<typeof ImageFacts> | null> {
  const found = scan_status === 'clean' ? await facts.find(db, id) : null
  if (!found?.blurhash || !found.width || !found.height) return null
  return { width: found.width, height: found.height, blurhash: found.blurhash }
}
