import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import * as rows from '#sql/files/versions.ts'
import { recordUpload, signUpload, uploadSeconds } from '#tasks/files/rules/take-in.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret, storage } from '../http/services.ts'
import { createUploadGrant, issueUploadToken } from '../http/upload-tokens.ts'
import { getOwner, tenant_id } from './owner.ts'
import { notUploaded, planExceeded, Upload, UploadFacts } from './uploads.ts'
import { reserveVersion, tooMany } from './versions/reserve.ts'

const params = z.object({ id: pathId('object') })

const Version = z
  .object({
    object_id: Id.describe('ID of this version'),
    version: z.int(),
    served: z.boolean().describe('True if a download of the object returns this version'),
    filename: z.string(),
    content_type: z.string(),
    byte_size: z.int(),
    sha256: z.string().nullable(),
    scan_status: objects.ScanStatus,
    uploaded_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'files.Version' })

export const start = route({
  method: 'POST',
  path: '/objects/{id}/versions',
  summary: 'Start the upload of a new version',
  description:
    'Returns an upload. Complete the upload with its `object_id`. The previous version is served until the new one is clean. A version that is not clean is never served.',
  scope: 'files:write',
  locks: ['tenant_id'],
  params,
  body: z.strictObject({
    filename: UploadFacts.shape.filename.optional().describe('File name. Default: the name of the previous version.'),
    content_type: UploadFacts.shape.content_type,
    byte_size: UploadFacts.shape.byte_size,
    checksum_sha256: UploadFacts.shape.checksum_sha256,
    browser: UploadFacts.shape.browser,
    tenant_id,
  }),
  status: 200,
  reply: Upload.extend({ version_of: Id, version: z.int() }).meta({ id: 'files.VersionUpload' }),
  problems: ['not_found', planExceeded, notUploaded, tooMany],
  example: { body: { content_type: 'application/pdf', byte_size: 50_102 } },
  async handle({ params: { id }, body, org, key, plan, db, services }) {
    const { browser, tenant_id, ...facts } = body
    const owner = getOwner({ org, key }, tenant_id)
    const asked = await mustFind(objects.find(db, owner, id), 'object')
    const made = await db.transaction(async (tx) => {
      const { nameBefore, ...of } = await reserveVersion(tx, owner, asked)
      return await recordUpload(tx, org.id, plan, { ...facts, filename: facts.filename ?? nameBefore, ...of })
    })
    return {
      object_id: made.id,
      version_of: asked.version_of ?? asked.id,
      version: made.version,
      ...(await signUpload(services(storage), made)),
      upload_method: 'PUT' as const,
      expires_in_seconds: uploadSeconds,
      expires_at: made.upload_expires_at,
      scan_status: made.scan_status,
      ...(browser && issueUploadToken(createUploadGrant(made.id, key.id, browser), services(signingSecret))),
    }
  },
})

export const list = route({
  method: 'GET',
  path: '/objects/{id}/versions',
  summary: 'List the versions of an object, newest first',
  description: 'Returns each version of the object with its own scan status, and which version is served.',
  scope: 'files:read',
  locks: ['tenant_id'],
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: z.object({ data: z.array(Version).describe(`All versions, up to ${rows.maxVersions}`) }),
  problems: ['not_found'],
  async handle({ params: { id }, query, org, key, db }) {
    const asked = await mustFind(objects.find(db, getOwner({ org, key }, query.tenant_id), id), 'object')
    const found = await rows.list(db, asked.version_of ?? asked.id)
    const served = rows.selectServed(found)?.id
    return { data: found.map((one) => versionOf(one, one.id === served)) }
  },
})

const versionOf = (object: objects.FileObject, served: boolean): z.input<typeof Version> => ({
  object_id: object.id,
  version: object.version,
  served,
  filename: object.filename,
  content_type: object.content_type,
  byte_size: object.byte_size,
  sha256: object.sha256,
  scan_status: object.scan_status,
  uploaded_at: object.uploaded_at,
  created_at: object.created_at,
})
