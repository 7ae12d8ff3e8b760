import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Plan } from '#sql/account/plans.ts'
import { lockStoredBytes } from '#sql/account/storage.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import { enqueueDiscardIncoming } from '#tasks/files/discard-incoming.ts'
import { heldKey, newIncomingKey } from '#tasks/files/keys.ts'
import { enqueueScan, scan } from '#tasks/files/scan.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { stopping, storage } from '../http/services.ts'
import { pathId } from '../http/validate.ts'
import { awaitVerdict } from './await-verdict.ts'
import { demandTenant, Name, ownerOf, tenant_id } from './owner.ts'
import { FileObject, present } from './present.ts'

/** How long an upload URL works, in seconds. */
const uploadSeconds = 15 * 60

const planExceeded = problem(400, 'plan_limit_exceeded', 'the object does not fit the plan')
const notUploaded = problem(409, 'not_uploaded', 'the bytes have not arrived')
const sizeMismatch = problem(409, 'size_mismatch', 'storage holds another number of bytes than was announced')
const contentEncoded = problem(
  409,
  'content_encoded',
  'the bytes were PUT with a content-encoding: they are served as they were scanned',
)
const changed = problem(409, 'conflict', 'the bytes were replaced while the upload was completed')

const Upload = z
  .object({
    object_id: Id,
    upload_url: z.url().describe('PUT the bytes to it'),
    upload_method: z.literal('PUT'),
    upload_headers: z
      .record(z.string(), z.string())
      .describe('What the PUT must carry, as signed; the size is signed as well'),
    expires_in_seconds: z.int(),
    expires_at: Instant,
    scan_status: objects.ScanStatus,
  })
  .meta({ id: 'files.Upload' })

/** Records an object and signs the URL to which its bytes go. */
export const start = route({
  method: 'POST',
  path: '/uploads',
  summary: 'Start an upload',
  description: 'PUT the bytes to `upload_url` with exactly `upload_headers`, then complete the upload.',
  scope: 'files:write',
  body: z.strictObject({
    product_key: Name.describe('The product that the object belongs to'),
    tenant_id: Name.describe('The tenant that the object belongs to'),
    filename: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^/\\\p{Cc}]+$/u, 'must be a name without folders and control characters'),
    content_type: z
      .string()
      .max(200)
      .regex(
        /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( ?; ?[\w!#$&^.+-]+=("[\w !#$&^.+-]*"|[\w!#$&^.+-]+))*$/,
        'must be a media type',
      ),
    byte_size: z.int().min(0).describe('Exact size; it is signed into the URL'),
    checksum_sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
      .optional()
      .describe('Of the bytes, in hex; other bytes are refused then'),
  }),
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
    demandTenant({ key }, body.tenant_id)
    const object = await db.transaction(async (tx) => {
      await checkPlan(tx, org.id, plan, body.byte_size)
      return await objects.insert(tx, {
        ...body,
        id: newId(),
        org_id: org.id,
        checksum_sha256: body.checksum_sha256?.toLowerCase() ?? null,
        incoming_key: newIncomingKey(),
        upload_expires_at: new Date(Date.now() + uploadSeconds * 1000),
      })
    })
    const headers = headersOf(object)
    const demanded = { ...headers, 'content-length': String(object.byte_size) }
    return {
      object_id: object.id,
      upload_url: await services(storage).signPut(object.incoming_key, uploadSeconds, demanded),
      upload_method: 'PUT' as const,
      upload_headers: headers,
      expires_in_seconds: uploadSeconds,
      expires_at: object.upload_expires_at,
      scan_status: object.scan_status,
    }
  },
})

async function checkPlan(tx: Db, orgId: string, plan: Plan, bytes: number): Promise<void> {
  const refuse = (limit: string, max: number, issue: string) =>
    planExceeded(`body.byte_size: ${issue}`, { field: 'body.byte_size', limit, max })
  const largest = Math.min(plan.upload_bytes, config.SCAN_MAX_BYTES)
  if (bytes > largest) throw refuse('upload_bytes', largest, `objects of at most ${largest} bytes are taken.`)
  const left = Math.max(0, plan.storage_bytes - (await lockStoredBytes(tx, orgId)))
  if (bytes > left) throw refuse('storage_bytes', plan.storage_bytes, `your plan's storage has ${left} bytes left.`)
}

function headersOf({ content_type, checksum_sha256 }: objects.FileObject): Record<string, string> {
  const checksum = checksum_sha256 && Buffer.from(checksum_sha256, 'hex').toString('base64')
  return { 'content-type': content_type, ...(checksum && { 'x-amz-checksum-sha256': checksum }) }
}

/** Takes what has arrived out of the uploader's reach and has it scanned. */
export const complete = route({
  method: 'POST',
  path: '/uploads/{id}/complete',
  summary: 'Complete an upload and scan it',
  description:
    'Waits a moment for the verdict; `scan_status` is `pending` or `scanning` when it takes longer. Later PUTs to the upload URL change nothing. Completing twice answers the same.',
  scope: 'files:write',
  params: z.object({ id: pathId('object') }),
  body: z.strictObject({ tenant_id }),
  status: 200,
  reply: FileObject,
  problems: ['not_found', notUploaded, sizeMismatch, contentEncoded, changed],
  enqueues: scan,
  async repeats({ params, body, org, key, db }) {
    const object = await objects.find(db, ownerOf({ org, key }, body.tenant_id), params.id)
    return object !== null && object.place !== 'incoming'
  },
  async handle({ params, body, org, key, db, services }) {
    const owner = ownerOf({ org, key }, body.tenant_id)
    const object = await mustFind(objects.find(db, owner, params.id), 'object')
    if (object.place === 'incoming') {
      const copy = await copyAside(services(storage), object)
      const held = await db.transaction((tx) => hold(tx, object, copy))
      // Another request was first, and its copy is the object's.
      if (!held) await services(storage).remove(copy)
    }
    const now = await mustFind(objects.find(db, owner, params.id), 'object')
    return await present(db, await awaitVerdict(db, now, services(stopping)))
  },
})

/** Copies what has arrived, if it is as announced, to a key of this request's own; returns the key. */
async function copyAside(storage: Storage, object: objects.FileObject): Promise<string> {
  const arrived = await storage.head(object.incoming_key)
  if (!arrived) throw notUploaded('The bytes have not arrived: PUT them to the upload URL first.')
  if (arrived.bytes !== object.byte_size) {
    const details = { byte_size: object.byte_size, arrived: arrived.bytes }
    const message = `${arrived.bytes} bytes have arrived; ${object.byte_size} were announced.`
    throw sizeMismatch(message, details)
  }
  // Headers of a PUT are not signed unless named, and a browser would decode what was scanned as it lay.
  if (arrived.encoding !== null) {
    const message = `The bytes arrived with the content-encoding ${arrived.encoding}; PUT them again without one.`
    throw contentEncoded(message, { content_encoding: arrived.encoding })
  }
  const key = heldKey(object.id, newId())
  const as = { contentType: object.content_type }
  if (await storage.copy(object.incoming_key, key, { etag: arrived.etag, as })) return key
  throw changed('The bytes were replaced while the upload was completed; complete it again.')
}

async function hold(tx: Db, object: objects.FileObject, copy: string): Promise<boolean> {
  const scanId = newId()
  const held = await objects.hold(tx, object.id, copy, scanId)
  if (!held) return false
  await enqueueScan(tx, await scans.insert(tx, { id: scanId, object_id: object.id, org_id: object.org_id }))
  await enqueueDiscardIncoming(tx, held)
  return true
}
