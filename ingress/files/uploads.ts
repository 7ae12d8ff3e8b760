import { z } from 'zod'
import { fileName } from '#lib/characters.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as uploads from '#sql/files/uploads.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { acceptUpload, recordUpload, signUpload, uploadSeconds } from '#tasks/files/rules/take-in.ts'
import { acceptJoined } from '#tasks/files/rules/take-parts.ts'
import { scan } from '#tasks/files/scan.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret, stopping, storage } from '../http/services.ts'
import { Browser, createUploadGrant, issuedFields, issueUploadToken } from '../http/upload-tokens.ts'
import { joinParts, partSizeMismatch, partsMissing } from '../http/uploads/join-parts.ts'
import { hasOneExpiry, objectFields, oneExpiry, readExpiry } from './fields.ts'
import { getOwner, Name, requireTenant, tenant_id } from './owner.ts'
import { FileObject, present } from './present.ts'

export const planExceeded = problem(
  400,
  'plan_limit_exceeded',
  'The file is larger than the plan or its free storage allows.',
)
export const notUploaded = problem(409, 'not_uploaded', 'The file has not arrived in storage.')
const sizeMismatch = problem(409, 'size_mismatch', 'The size of the file in storage is different from `byte_size`.')
const contentEncoded = problem(
  409,
  'content_encoded',
  'The file was sent with a `content-encoding`. Millrace serves files exactly as scanned.',
)
const changed = problem(409, 'conflict', 'The file was replaced while the upload was being completed.')

export const Upload = z
  .object({
    object_id: Id,
    upload_url: secret(z.url()).describe('URL for the `PUT` request with the file'),
    upload_method: z.literal('PUT'),
    upload_headers: z
      .record(z.string(), z.string())
      .describe('Headers that the `PUT` request must have. The headers and the size are signed.'),
    expires_in_seconds: z.int(),
    expires_at: Instant,
    scan_status: objects.ScanStatus,
    ...issuedFields,
  })
  .meta({ id: 'files.Upload' })

const isDots = (name: string): boolean => name === '.' || name === '..'

export const UploadFacts = z.strictObject({
  product_key: Name.describe('Product that the object belongs to'),
  tenant_id: Name.describe('Tenant that the object belongs to'),
  filename: z
    .string()
    .min(1)
    .max(255)
    .regex(fileName, 'must be a file name without folders or control characters')
    .refine((name) => !isDots(name), 'must not be `.` or `..`, because URLs cannot end with them'),
  content_type: z
    .string()
    .max(200)
    .regex(
      /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( ?; ?[\w!#$&^.+-]+=("[\w !#$&^.+-]*"|[\w!#$&^.+-]+))*$/,
      'must be a media type',
    ),
  byte_size: z.int().min(0).describe('Exact file size in bytes. The size is signed into the URL.'),
  checksum_sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
    .optional()
    .describe('SHA-256 of the file, in hex. If set, storage rejects any other content.'),
  ...objectFields,
  browser: Browser.optional(),
})

export const UploadBody = UploadFacts.extend({
  visibility: objects.Visibility.default('private').describe(
    'Who can load the file by its URL. `signed`: only with a signed URL. `public`: everyone. Default: `private`.',
  ),
})

export const start = route({
  method: 'POST',
  path: '/uploads',
  summary: 'Start an upload',
  description:
    'Send the file to `upload_url` with a `PUT` request and exactly the `upload_headers`, then complete the upload. With `browser`, a web page can do both. Until completion, the `upload_token` can read, complete and delete this object.',
  scope: 'files:write',
  locks: ['tenant_id'],
  body: UploadBody.refine(hasOneExpiry, oneExpiry),
  status: 200,
  reply: Upload,
  problems: [planExceeded, 'forbidden'],
  example: {
    body: {
      product_key: 'crm',
      tenant_id: 'acme',
      filename: 'contract.pdf',
      content_type: 'application/pdf',
      byte_size: 48213,
    },
  },
  async handle({ body, org, key, plan, db, services }) {
    const { browser, expires_in, expires_at, ...facts } = body
    requireTenant({ key }, facts.tenant_id)
    const expiry = readExpiry({ expires_in, expires_at })
    const object = await db.transaction((tx) => recordUpload(tx, org.id, plan, { ...facts, expires_at: expiry }))
    return {
      object_id: object.id,
      ...(await signUpload(services(storage), object)),
      upload_method: 'PUT' as const,
      expires_in_seconds: uploadSeconds,
      expires_at: object.upload_expires_at,
      scan_status: object.scan_status,
      ...(browser && issueUploadToken(createUploadGrant(object.id, key.id, browser), services(signingSecret))),
    }
  },
})

export const complete = route({
  method: 'POST',
  path: '/uploads/{id}/complete',
  repeatable: true,
  summary: 'Complete an upload and scan it',
  description:
    'Checks every part of an upload in parts. Waits up to 2.5 seconds for the verdict. If the scan takes longer, `scan_status` is `pending` or `scanning`. Later `PUT` requests to the upload URL change nothing. A second call returns the same result.',
  scope: 'files:write',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params: z.object({ id: pathId('object') }),
  body: z.strictObject({ tenant_id }),
  status: 200,
  reply: FileObject,
  problems: ['not_found', notUploaded, sizeMismatch, contentEncoded, changed, partsMissing, partSizeMismatch],
  enqueues: scan,
  async repeats({ params, body, org, key, db }) {
    const object = await objects.find(db, getOwner({ org, key }, body.tenant_id), params.id)
    return object !== null && object.place !== 'incoming'
  },
  async handle({ params, body, org, key, db, services, origin }) {
    const owner = getOwner({ org, key }, body.tenant_id)
    const object = await mustFind(objects.find(db, owner, params.id), 'object')
    await accept({ db, storage: services(storage) }, object)
    const now = await mustFind(objects.find(db, owner, params.id), 'object')
    return await present(db, await awaitVerdict(db, now, services(stopping)), origin)
  },
})

async function accept(at: { db: DatabasePool; storage: Storage }, object: objects.FileObject): Promise<void> {
  if (object.place !== 'incoming') return
  const upload = await uploads.find(at.db, object.id)
  if (upload === null) return await acceptUpload(at, object)
  await joinParts(at.storage, upload.key, upload)
  await acceptJoined(at, object, upload.key)
}
