import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import { FileObject, type Owner, table as objects } from './objects.ts'

/** Uploads in parts. `id` is the ID of the object. */
export const table = defineTable(
  'files',
  'uploads',
  z.object({
    id: Id,
    org_id: Id,
    bytes: z.number(),
    part_bytes: z.number(),
    parts: z.number(),
    key: z.string(),
    storage_upload: z.string().nullable(),
    completed_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export const Upload = table.Row

export type Upload = z.infer<typeof Upload>

const columns = table.columns()

export type NewUpload = Omit<Upload, 'storage_upload' | 'completed_at' | 'created_at'>

export async function insert(tx: Db, upload: NewUpload): Promise<Upload> {
  return await tx.one(sql.type(Upload)`${table.insert(upload)} returning ${columns}`)
}

/** Returns the upload in parts of an object, or `null` if the object was uploaded with one request. */
export async function find(db: Db, objectId: string): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`select ${columns} from files.uploads where id = ${objectId}`)
}

/**
 * Stores the ID of the upload in storage. Returns the stored ID, which is the first one written, or `null` if the
 * upload has ended.
 */
export async function setStorageUpload(db: Db, id: string, storageUpload: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ storage_upload: z.string() }))`
    update files.uploads as u set storage_upload = coalesce(u.storage_upload, ${storageUpload})
    from files.objects as o
    where u.id = ${id} and o.id = u.id and o.place = 'incoming' and o.deleted_at is null
    returning u.storage_upload`)
}

/** Marks an upload as complete, in the transaction that accepts its bytes. */
export async function complete(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update files.uploads set completed_at = now() where id = ${id}`)
}

const Open = FileObject.extend({ part_bytes: z.number(), parts: z.number() })

/** An object whose parts are being uploaded. */
export type OpenUpload = z.infer<typeof Open>

export const filters = {
  product_key: objects.equals('product_key', 'o'),
}

/** Lists uploads in parts that are not complete, newest first. */
export async function listOpen(
  db: Db,
  { orgId, tenantId }: Owner,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly OpenUpload[]> {
  const tenant = tenantId === undefined ? sql.fragment`true` : sql.fragment`o.tenant_id = ${tenantId}`
  return await db.any(sql.type(Open)`
    select ${objects.columns('o')}, u.part_bytes, u.parts
    from files.uploads as u join files.objects as o on o.id = u.id
    where u.org_id = ${orgId} and u.completed_at is null and o.place = 'incoming' and o.deleted_at is null
      and ${tenant} and ${where} and ${isOlder(before, ['u', 'id'])}
    order by u.id desc limit ${limit}`)
}
