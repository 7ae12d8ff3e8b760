import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'uploads',
  z.object({
    id: Id,
    org_id: Id,
    asset_id: Id,
    bytes: z.number(),
    part_bytes: z.number(),
    parts: z.number(),
    state: z.enum(['open', 'paused', 'completed', 'aborted', 'expired']),
    storage_upload: z.string().nullable(),
    expires_at: z.date(),
    created_at: z.date(),
  }),
)

export const Upload = table.Row

export type Upload = z.infer<typeof Upload>

const columns = table.columns()

/** Returns the key of an asset’s original. Only parts of its upload are ever presigned for `PUT`. */
export const sourceKey = (assetId: string) => `video/sources/${assetId}`

export type NewUpload = Pick<Upload, 'id' | 'org_id' | 'asset_id' | 'bytes' | 'part_bytes' | 'parts' | 'expires_at'>

export async function insert(tx: Db, upload: NewUpload): Promise<Upload> {
  return await tx.one(sql.type(Upload)`${table.insert(upload)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Upload | null> {
  return await db.maybeOne(
    sql.type(Upload)`select ${columns} from video.uploads where id = ${id} and org_id = ${orgId}`,
  )
}

export async function findAny(db: Db, id: string): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`select ${columns} from video.uploads where id = ${id}`)
}

export async function findByAsset(db: Db, assetId: string): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`select ${columns} from video.uploads where asset_id = ${assetId}`)
}

/**
 * Moves a session from one of the given states to another state. Returns `null` if the session was in none of them. It
 * is a single statement, so only one of several concurrent requests succeeds.
 */
export async function move(
  db: Db,
  orgId: string,
  id: string,
  from: Upload['state'][],
  to: Upload['state'],
): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`
    update video.uploads set state = ${to}
    where id = ${id} and org_id = ${orgId} and state = any(${sql.array(from, 'text')})
    returning ${columns}`)
}

/**
 * Stores the multipart upload ID of an open upload. Returns the stored ID, which is the first one written, or `null` if
 * the upload is no longer open.
 */
export async function setStorageUpload(db: Db, id: string, storageUpload: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ storage_upload: z.string() }))`
    update video.uploads set storage_upload = coalesce(storage_upload, ${storageUpload})
    where id = ${id} and state = 'open'
    returning storage_upload`)
}

export async function listStale(db: Db, limit: number): Promise<readonly Upload[]> {
  return await db.any(sql.type(Upload)`
    select ${columns} from video.uploads
    where state in ('open', 'paused') and expires_at < now() order by expires_at limit ${limit}`)
}

/**
 * Lists up to `limit` aborted and expired sessions that expired `days` ago. Sessions of deleted assets are deleted with
 * the assets.
 */
export async function listExpired(db: Db, days: number, limit: number): Promise<readonly Upload[]> {
  return await db.any(sql.type(Upload)`
    select ${columns} from video.uploads as u
    where state in ('aborted', 'expired') and expires_at < now() - ${days} * interval '1 day'
      and exists (select from video.assets as a where a.id = u.asset_id and a.status = 'aborted')
    order by expires_at limit ${limit}`)
}
