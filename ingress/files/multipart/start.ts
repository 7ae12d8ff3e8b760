import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { concurrencyFor } from '#lib/storage/part-plan.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { maxFileBytes, type RecordedUpload, recordPartsUpload } from '#tasks/files/rules/take-parts.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { problem } from '../../http/problem-kinds.ts'
import { pathId } from '../../http/request/validate.ts'
import { followedRoute } from '../../http/route.ts'
import { signingSecret } from '../../http/services.ts'
import { grantFor, issuedFields, issueUploadToken } from '../../http/upload-tokens.ts'
import { takeFromToken, uploadNotAllowed } from '../../http/uploads/start-tokens.ts'
import { hasOneExpiry, oneExpiry, readExpiry } from '../fields.ts'
import { getOwner, Name, requireTenant, tenant_id } from '../owner.ts'
import { planExceeded, UploadBody, UploadFacts } from '../uploads.ts'
import { reserveVersion, tooMany } from '../versions/reserve.ts'

const byte_size = z.int().min(1).max(maxFileBytes).describe('Exact file size in bytes, up to 50 GiB')

const Started = z
  .object({
    object_id: Id,
    part_size: z.int().describe('Exact size of each part in bytes. Only the last part can be smaller.'),
    parts_expected: z.int(),
    recommended_concurrency: z.int().describe('Number of parts to send at the same time'),
    expires_at: Instant.describe('Time at which the upload is deleted if it is not complete'),
    scan_status: objects.ScanStatus,
    ...issuedFields,
  })
  .meta({ id: 'files.PartsUpload' })

const sessionOf = ({ object, upload }: RecordedUpload) => ({
  object_id: object.id,
  part_size: upload.part_bytes,
  parts_expected: upload.parts,
  recommended_concurrency: concurrencyFor(upload.parts),
  expires_at: object.upload_expires_at.toISOString(),
  scan_status: object.scan_status,
})

export const start = followedRoute({
  method: 'POST',
  path: '/uploads/multipart',
  summary: 'Start an upload in parts',
  description:
    'For files up to 50 GiB and for connections that can be lost. Sign the parts, send them directly to storage, then complete the upload. A web page can call this operation with an upload token. The token then sets product and tenant.',
  scope: 'files:write',
  locks: ['tenant_id'],
  startToken: 'files',
  idempotent: true,
  body: UploadBody.extend({
    product_key: Name.optional().describe('Product that the object belongs to. Required with an API key.'),
    tenant_id: Name.optional().describe('Tenant that the object belongs to. Required with an API key.'),
    byte_size,
    checksum_sha256: UploadFacts.shape.checksum_sha256.describe(
      'SHA-256 of the file, in hex. If set, the scan rejects any other content.',
    ),
  }).refine(hasOneExpiry, oneExpiry),
  status: 201,
  reply: Started,
  problems: [planExceeded, 'forbidden', uploadNotAllowed],
  example: {
    body: {
      product_key: 'crm',
      tenant_id: 'acme',
      filename: 'backup.bin',
      content_type: 'application/octet-stream',
      byte_size: 73400320,
    },
  },
  async handle(call) {
    const { browser, product_key, tenant_id, expires_in, expires_at, ...facts } = call.body
    const of = await ownerOf(call, { product_key, tenant_id }, facts)
    requireTenant(call, of.tenant_id)
    const recorded = await recordPartsUpload(call.db, call.org.id, call.plan, {
      ...facts,
      ...of,
      expires_at: readExpiry({ expires_in, expires_at }),
    })
    return { session: sessionOf(recorded), grant: grantFor(recorded.object.id, call, browser) }
  },
  // Repeated requests need the token's content, so the content is stored, but never the token itself.
  async follow({ session, grant }, { services }) {
    return { ...session, ...issueUploadToken(grant, services(signingSecret)) }
  },
})

interface Owner {
  product_key: string
  tenant_id: string
}

/** Returns the product and tenant of a new upload: from the web page’s token, or from the request. */
async function ownerOf(
  call: Parameters<typeof takeFromToken>[1] & { db: Db; body: { browser?: unknown } },
  given: { [Name in keyof Owner]: string | undefined },
  {
    byte_size: bytes,
    content_type: type,
    visibility,
  }: Pick<z.output<typeof UploadBody>, 'byte_size' | 'content_type' | 'visibility'>,
): Promise<Owner> {
  const fields = { bytes: 'body.byte_size', type: 'body.content_type' }
  const token = await takeFromToken(call.db, call, { bytes, type, fields })
  const names = ['product_key', 'tenant_id'] as const
  if (token && call.body.browser !== undefined)
    throw badRequest([{ field: 'body.browser', issue: 'cannot be set with an upload token' }])
  const faults = names.flatMap((name) => {
    const field = `body.${name}`
    if (!token) return given[name] === undefined ? [{ field, issue: 'is required' }] : []
    return given[name] === undefined || given[name] === token[name]
      ? []
      : [{ field, issue: 'must be the one of the upload token' }]
  })
  // Visitors of a page must not publish files.
  if (token && visibility !== 'private')
    faults.push({ field: 'body.visibility', issue: 'must be `private` with an upload token' })
  if (faults.length > 0) throw badRequest(faults)
  return { ...given, ...(token && { product_key: token.product_key, tenant_id: token.tenant_id }) } as Owner
}

export const startVersion = followedRoute({
  method: 'POST',
  path: '/objects/{id}/versions/multipart',
  summary: 'Start the upload of a new version in parts',
  description: 'Sign and send the parts, then complete the upload with the `object_id` of the response.',
  scope: 'files:write',
  locks: ['tenant_id'],
  idempotent: true,
  params: z.object({ id: pathId('object') }),
  body: z.strictObject({
    filename: UploadFacts.shape.filename.optional().describe('File name. Default: the name of the previous version.'),
    content_type: UploadFacts.shape.content_type,
    byte_size,
    checksum_sha256: UploadFacts.shape.checksum_sha256,
    browser: UploadFacts.shape.browser,
    tenant_id,
  }),
  status: 201,
  reply: Started.extend({ version_of: Id, version: z.int() }).meta({ id: 'files.VersionPartsUpload' }),
  problems: ['not_found', planExceeded, tooMany, problem(409, 'not_uploaded', 'The object has no content yet.')],
  example: { body: { content_type: 'application/pdf', byte_size: 73400320 } },
  async handle(call) {
    const { browser, tenant_id, ...facts } = call.body
    const owner = getOwner(call, tenant_id)
    const asked = await mustFind(objects.find(call.db, owner, call.params.id), 'object')
    const { nameBefore, ...of } = await reserveVersion(call.db, owner, asked)
    const named = { ...facts, filename: facts.filename ?? nameBefore, ...of }
    const recorded = await recordPartsUpload(call.db, call.org.id, call.plan, named)
    const { version_of, version } = of
    const session = { ...sessionOf(recorded), version_of, version }
    return { session, grant: grantFor(recorded.object.id, call, browser) }
  },
  async follow({ session, grant }, { services }) {
    return { ...session, ...issueUploadToken(grant, services(signingSecret)) }
  },
})
