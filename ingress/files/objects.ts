import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as rows from '#sql/files/objects.ts'
import * as versions from '#sql/files/versions.ts'
import { enqueueRemoval } from '#tasks/files/remove.ts'
import { stripObject } from '#tasks/files/strip-metadata.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { MetadataFilter } from '../http/request/metadata.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { requireUnfinishedUpload } from '../http/upload-tokens.ts'
import { Folder, Prefix, Sha256 } from './fields.ts'
import { getOwner, Name, tenant_id } from './owner.ts'
import { FileObject, present, Summary, summarize } from './present.ts'

const downloadSeconds = 300

const params = z.object({ id: pathId('object') })

export { update } from './objects/change.ts'
export { create } from './objects/create.ts'

export const notClean = problem(409, 'not_clean', 'The object is not clean. `scan_status` contains its status.')

export const list = listRoute({
  path: '/objects',
  summary: 'List objects, newest first',
  description:
    'Lists each object once, with the metadata of the served version. `scan_status` filters by the first version.',
  tool: { name: 'list_files', outsideText: true },
  scope: 'files:read',
  locks: ['tenant_id'],
  filters: rows.filters,
  otherParams: ['tenant_id', 'sha256', 'metadata'],
  query: {
    tenant_id: Name.optional(),
    product_key: Name.optional(),
    scan_status: rows.ScanStatus.optional(),
    visibility: rows.Visibility.optional(),
    sha256: Sha256.optional().describe('SHA-256 of the content, in hex. Finds objects of which any version has it.'),
    metadata: MetadataFilter.optional(),
    folder: Folder.optional().describe(
      'Folder of the objects, without its subfolders. Empty: objects without a folder.',
    ),
    prefix: Prefix.optional(),
  },
  item: Summary,
  problems: ['not_found'],
  async rows({ query, org, key, db }, page) {
    const found = await rows.list(db, getOwner({ org, key }, query.tenant_id), {
      ...page,
      sha256: query.sha256,
      metadata: query.metadata,
    })
    const served = await versions.listServed(
      db,
      found.map(({ id }) => id),
    )
    return found.map((object) => ({ id: object.id, told: served.get(object.id) ?? object }))
  },
  present: ({ id, told }, { origin }) => summarize(told, origin, id),
})

export const read = route({
  method: 'GET',
  path: '/objects/{id}',
  summary: 'Read an object and its verdict',
  description: 'Returns the metadata of the object, its `scan_status` and the verdict of the last scan.',
  tool: { name: 'get_file', outsideText: true },
  scope: 'files:read',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: FileObject,
  problems: ['not_found'],
  async handle({ params, query, org, key, uploadToken, db, origin }) {
    const object = await mustFind(rows.find(db, getOwner({ org, key }, query.tenant_id), params.id), 'object')
    requireUnfinishedUpload(uploadToken, object.place !== 'incoming')
    return await present(db, object, origin)
  },
})

export const downloadUrl = route({
  method: 'POST',
  path: '/objects/{id}/download-url',
  repeatable: true,
  summary: 'Create a download URL for a clean object',
  description:
    'If the object is not clean, returns `409` with `scan_status`. Browsers save the file and do not display it.',
  tool: { name: 'create_download_url', reads: true },
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  body: z.strictObject({ tenant_id }),
  status: 200,
  reply: z.object({
    object_id: Id,
    version: z.int().describe('Version number of the file'),
    download_url: secret(z.url()),
    filename: z.string(),
    byte_size: z.int(),
    sha256: z.string(),
    expires_in_seconds: z.int(),
    expires_at: Instant,
  }),
  problems: ['not_found', notClean],
  async handle({ params, body, org, key, db, services }) {
    const asked = await mustFind(rows.find(db, getOwner({ org, key }, body.tenant_id), params.id), 'object')
    const object = await versions.getServedVersion(db, asked)
    const { scan_status, held_key, sha256, filename, byte_size } = object
    if (scan_status !== 'clean' || held_key === null || sha256 === null) {
      throw notClean(`The object is ${scan_status}. Only clean objects can be downloaded.`, { scan_status })
    }
    if (!object.metadata_stripped) await stripObject({ db, storage: services(storage) }, object)
    const as = { filename, type: servedType(object) }
    const seconds = secondsUntil(object.expires_at)
    return {
      object_id: asked.id,
      version: object.version,
      download_url: await services(storage).signSave(held_key, seconds, as),
      filename,
      byte_size,
      sha256,
      expires_in_seconds: seconds,
      expires_at: new Date(Date.now() + seconds * 1000),
    }
  },
})

/** Returns the time to live of a download URL in seconds. It ends with the object. */
const secondsUntil = (end: Date | null): number =>
  end === null
    ? downloadSeconds
    : Math.max(1, Math.min(downloadSeconds, Math.floor((end.getTime() - Date.now()) / 1000)))

const active = /html|xml|svg|script|flash|wasm/i

/**
 * Returns the detected content type, or the declared type if none was detected. Types that browsers execute become
 * `application/octet-stream`.
 */
function servedType({ sniffed_type, content_type }: rows.FileObject): string {
  const type = sniffed_type ?? content_type
  return active.test(type) ? 'application/octet-stream' : type
}

export const remove = removeRoute({
  path: '/objects/{id}',
  summary: 'Delete an object',
  description:
    'Deletes the object with all of its versions. With the ID of a later version, deletes only that version. Soon after, storage is freed and signed URLs stop working.',
  tool: { name: 'delete_file' },
  scope: 'files:write',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params,
  query: z.object({ tenant_id }),
  reply: { object_id: Id },
  what: 'object',
  async remove({ params, query, org, key, uploadToken, db }) {
    const owner = getOwner({ org, key }, query.tenant_id)
    const deleted = await rows.markDeleted(db, owner, params.id)
    if (deleted.length === 0) return false
    // Checked after the rows are locked, because another request could complete the upload in the meantime.
    const isFinished = deleted.some(({ place }) => place !== 'incoming')
    requireUnfinishedUpload(uploadToken, isFinished)
    for (const one of deleted) await enqueueRemoval(db, one)
  },
})
