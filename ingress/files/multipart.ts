import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { partUrlSeconds } from '#lib/storage/part-plan.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as uploads from '#sql/files/uploads.ts'
import { enqueueRemoval } from '#tasks/files/remove.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { storage } from '../http/services.ts'
import { requireUnfinishedUpload } from '../http/upload-tokens.ts'
import { beginInStorage, checkPartNumbers, PartNumbers, signedUrl, signParts } from '../http/uploads/sign-parts.ts'
import * as starts from './multipart/start.ts'
import { type FoundUpload, mustFindUpload, present, Status } from './multipart/status.ts'
import { getOwner, Name, tenant_id } from './owner.ts'

export const { start, startVersion } = starts

const notOpen = problem(409, 'conflict', 'The upload is complete.')

const params = z.object({ id: pathId('upload') })

const Item = z
  .object({
    object_id: Id,
    product_key: z.string(),
    tenant_id: z.string(),
    filename: z.string(),
    content_type: z.string(),
    byte_size: z.int(),
    part_size: z.int(),
    parts_expected: z.int(),
    expires_at: Instant,
    created_at: Instant,
  })
  .meta({ id: 'files.OpenUpload' })

export const list = listRoute({
  path: '/uploads',
  summary: 'List unfinished uploads in parts, newest first',
  description: 'Lists uploads that are neither complete nor aborted. Uploads in one request are not listed.',
  scope: 'files:read',
  locks: ['tenant_id'],
  filters: uploads.filters,
  otherParams: ['tenant_id'],
  query: { tenant_id: Name.optional(), product_key: Name.optional() },
  item: Item,
  problems: ['not_found'],
  async rows({ query, org, key, db }, page) {
    return await uploads.listOpen(db, getOwner({ org, key }, query.tenant_id), page)
  },
  present: (one) => ({
    object_id: one.id,
    product_key: one.product_key,
    tenant_id: one.tenant_id,
    filename: one.filename,
    content_type: one.content_type,
    byte_size: one.byte_size,
    part_size: one.part_bytes,
    parts_expected: one.parts,
    expires_at: one.upload_expires_at,
    created_at: one.created_at,
  }),
})

export const read = route({
  method: 'GET',
  path: '/uploads/{id}',
  summary: 'Read the progress of an upload in parts',
  description: 'Returns the parts that storage has received, so that a client can resume the upload.',
  scope: 'files:read',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: Status,
  problems: ['not_found'],
  async handle({ params, query, org, key, uploadToken, db, services }) {
    const found = await mustFindUpload(db, getOwner({ org, key }, query.tenant_id), params.id)
    requireUnfinishedUpload(uploadToken, found.completed)
    return await present(found, services(storage))
  },
})

export const sign = route({
  method: 'POST',
  path: '/uploads/{id}/parts/sign',
  repeatable: true,
  summary: 'Create signed URLs for parts of a file',
  description:
    'Send each part with a `PUT` request to its URL, with exactly its number of bytes. A part can be signed again at any time, for example when its URL has expired. Storage keeps the last part with a number.',
  scope: 'files:write',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params,
  body: z.strictObject({ part_numbers: PartNumbers, tenant_id }),
  status: 201,
  reply: z.object({
    object_id: Id,
    parts: z.array(
      z.object({
        part_number: z.int(),
        url: signedUrl,
        bytes: z.int().describe('Signed number of bytes that the `PUT` must send'),
      }),
    ),
    expires_in_seconds: z.int(),
    expires_at: Instant,
  }),
  problems: ['not_found', notOpen],
  example: { body: { part_numbers: [1, 2, 3] } },
  async handle({ params, body, org, key, uploadToken, db, services }) {
    const found = await mustFindUpload(db, getOwner({ org, key }, body.tenant_id), params.id)
    requireUnfinishedUpload(uploadToken, found.completed)
    checkPartNumbers(body.part_numbers, found.upload, 'part_numbers')
    if (found.completed) throw notOpen('The upload is complete.')
    const storage_upload = await begun(db, found, services(storage))
    const signed = await signParts(
      services(storage),
      found.upload.key,
      { ...found.upload, storage_upload },
      body.part_numbers,
    )
    return {
      object_id: found.object.id,
      parts: signed.map(({ number, url, bytes }) => ({ part_number: number, url, bytes })),
      expires_in_seconds: partUrlSeconds,
      expires_at: new Date(Date.now() + partUrlSeconds * 1000),
    }
  },
})

async function begun(
  db: Db,
  { object, upload }: FoundUpload,
  store: Parameters<typeof beginInStorage>[0],
): Promise<string> {
  const keep = (id: string) => uploads.setStorageUpload(db, upload.id, id)
  const kept = upload.storage_upload ?? (await beginInStorage(store, upload.key, object.content_type, keep))
  if (kept === null) throw conflict('The upload has ended in the meantime.')
  return kept
}

export const abort = route({
  method: 'DELETE',
  path: '/uploads/{id}',
  summary: 'Abort an upload in parts',
  description: 'Deletes the object and its uploaded parts, and releases the reserved storage.',
  scope: 'files:write',
  locks: ['tenant_id'],
  uploadToken: 'id',
  params,
  query: z.object({ tenant_id }),
  status: 200,
  reply: z.object({ object_id: Id, aborted: z.literal(true) }),
  problems: ['not_found', notOpen],
  async handle({ params: { id }, query, org, key, uploadToken, db }) {
    const owner = getOwner({ org, key }, query.tenant_id)
    const found = await mustFindUpload(db, owner, id)
    requireUnfinishedUpload(uploadToken, found.completed)
    await abortUpload(db, owner, id)
    return { object_id: id, aborted: true as const }
  },
})

/** Deletes an object whose upload is not complete, and its parts. Throws 404 or 409. */
export async function abortUpload(db: DatabasePool, owner: objects.Owner, id: string): Promise<void> {
  const { object } = await mustFindUpload(db, owner, id)
  await db.transaction(async (tx) => {
    if (!(await objects.markAbandoned(tx, owner, id)))
      throw notOpen('The upload is complete. Delete the object instead.')
    await enqueueRemoval(tx, object)
  })
}
