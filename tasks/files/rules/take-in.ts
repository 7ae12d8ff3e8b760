import { config } from '#lib/config.ts'
import { conflict, Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import { lockStorageLeft } from '../../account/rules/storage-left.ts'
import { enqueueDiscardIncoming } from '../discard-incoming.ts'
import { enqueueScan } from '../scan.ts'
import { heldKey, newIncomingKey } from './keys.ts'

export const uploadSeconds = 15 * 60

export type UploadDetails = Pick<
  objects.NewObject,
  'product_key' | 'tenant_id' | 'filename' | 'content_type' | 'byte_size'
> &
  Partial<Pick<objects.NewObject, 'version_of' | 'version' | 'visibility'>> & {
    [Name in 'metadata' | 'folder' | 'expires_at']?: objects.NewObject[Name] | undefined
  } & {
    checksum_sha256?: string | undefined
  }

export interface SignedUpload {
  upload_url: string
  upload_headers: Record<string, string>
}

/** An upload in one request. A larger file is uploaded in parts. */
const inOneRequest = { mostBytes: config.SCAN_MAX_BYTES, ms: uploadSeconds * 1000 }

/** Records an object before its upload. Throws 400 `plan_limit_exceeded`. */
export async function recordUpload(
  tx: Db,
  orgId: string,
  plan: Plan,
  facts: UploadDetails,
  { mostBytes, ms } = inOneRequest,
): Promise<objects.FileObject> {
  await checkPlan(tx, orgId, plan, facts.byte_size, mostBytes)
  return await objects.insert(tx, {
    ...facts,
    id: newId(),
    org_id: orgId,
    checksum_sha256: facts.checksum_sha256?.toLowerCase() ?? null,
    incoming_key: newIncomingKey(),
    upload_expires_at: new Date(Date.now() + ms),
  })
}

async function checkPlan(tx: Db, orgId: string, plan: Plan, bytes: number, mostBytes: number): Promise<void> {
  const refuse = (limit: string, max: number, issue: string) =>
    new Problem(400, 'plan_limit_exceeded', `body.byte_size: ${issue}`, {
      details: { field: 'body.byte_size', limit, max },
    })
  const largest = Math.min(plan.upload_bytes, mostBytes)
  if (bytes > largest) throw refuse('upload_bytes', largest, `an object can have up to ${largest} bytes.`)
  const { max, left, whose } = await lockStorageLeft(tx, orgId, plan.storage_bytes)
  if (bytes > left) throw refuse('storage_bytes', max, `${whose} has ${left} bytes left.`)
}

export async function signUpload(storage: Storage, object: objects.FileObject): Promise<SignedUpload> {
  const { content_type, checksum_sha256 } = object
  const checksum = checksum_sha256 && Buffer.from(checksum_sha256, 'hex').toString('base64')
  const headers = { 'content-type': content_type, ...(checksum && { 'x-amz-checksum-sha256': checksum }) }
  const demanded = { ...headers, 'content-length': String(object.byte_size) }
  return { upload_url: await storage.signPut(object.incoming_key, uploadSeconds, demanded), upload_headers: headers }
}

/**
 * Copies the uploaded bytes to a key that the client cannot write, and starts their scan. Repeated calls do nothing.
 * Throws 409 `not_uploaded`, `size_mismatch`, `content_encoded` or `conflict`.
 */
export async function acceptUpload(
  { db, storage }: { db: DatabasePool; storage: Storage },
  object: objects.FileObject,
): Promise<void> {
  if (object.place !== 'incoming') return
  const copy = await copyAside(storage, object)
  const held = await db.transaction((tx) => hold(tx, object, copy))
  // Another request was first, and the object uses the copy of that request.
  if (!held) await storage.remove(copy)
}

/** Copies the uploaded bytes to a new key if they are as announced. Returns the key. */
async function copyAside(storage: Storage, object: objects.FileObject): Promise<string> {
  const arrived = await storage.head(object.incoming_key)
  if (!arrived) throw conflict('The file has not arrived. Send it to the upload URL with `PUT` first.', 'not_uploaded')
  if (arrived.bytes !== object.byte_size) {
    const details = { byte_size: object.byte_size, arrived: arrived.bytes }
    const message = `${arrived.bytes} bytes have arrived, but the upload was started for ${object.byte_size}.`
    throw conflict(message, 'size_mismatch', details)
  }
  // Headers of a `PUT` are signed only if they are named. A browser would decode bytes that were scanned in encoded
  // form.
  if (arrived.encoding !== null) {
    const message = `The file arrived with the content-encoding ${arrived.encoding}. Send the file again without it.`
    throw conflict(message, 'content_encoded', { content_encoding: arrived.encoding })
  }
  const key = heldKey(object.id, newId())
  const as = { contentType: object.content_type }
  if (await storage.copy(object.incoming_key, key, { etag: arrived.etag, as })) return key
  throw conflict('The file was replaced while the upload was being completed. Complete the upload again.')
}

/** Stores the accepted bytes and adds their scan. Returns false if another request was first or the object is deleted. */
export async function hold(tx: Db, object: objects.FileObject, copy: string): Promise<boolean> {
  const scanId = newId()
  const held = await objects.storeAcceptedCopy(tx, object.id, copy, scanId)
  if (!held) return false
  await enqueueScan(tx, await scans.insert(tx, { id: scanId, object_id: object.id, org_id: object.org_id }))
  await enqueueDiscardIncoming(tx, held)
  return true
}
