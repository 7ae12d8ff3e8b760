import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Upload sessions, one for each asset. */
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

/** A parsed upload session. */
export const Upload = table.Row

/** The parsed row. */
export type Upload = z.infer<typeof Upload>

const columns = table.columns()

/** The key of an asset's original; only parts of its upload are ever presigned for PUT. */
export const sourceKey = (assetId: string) => `video/sources/${assetId}`

/** An upload about to be opened. */
export type NewUpload = Pick<Upload, 'id' | 'org_id' | 'asset_id' | 'bytes' | 'part_bytes' | 'parts' | 'expires_at'>

/** Opens an upload session. */
export async function insert(tx: Db, upload: NewUpload): Promise<Upload> {
  return await tx.one(sql.type(Upload)`${table.insert(upload)} returning ${columns}`)
}

/** One upload session of an organisation. */
export async function find(db: Db, orgId: string, id: string): Promise<Upload | null> {
  return await db.maybeOne(
    sql.type(Upload)`select ${columns} from video.uploads where id = ${id} and org_id = ${orgId}`,
  )
}

/** One upload session of any organisation. */
export async function findAny(db: Db, id: string): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`select ${columns} from video.uploads where id = ${id}`)
}

/** The session through which an asset arrives. */
export async function findByAsset(db: Db, assetId: string): Promise<Upload | null> {
  return await db.maybeOne(sql.type(Upload)`select ${columns} from video.uploads where asset_id = ${assetId}`)
}

/**
 * Moves a session from one of some states to another, in one statement, so that of two requests at once one alone does it;
 * null when it was in none of them.
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
 * Stores the multipart upload id of an open upload; returns the stored id, the first one written, or null when
 * the upload is not open any more.
 */
export async function setStorageUpload(db: Db, id: string, storageUpload: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ storage_upload: z.string() }))`
    update video.uploads set storage_upload = coalesce(storage_upload, ${storageUpload})
    where id = ${id} and state = 'open'
    returning storage_upload`)
}

/** Open sessions that have expired, at most `limit`. */
export async function listStale(db: Db, limit: number): Promise<readonly Upload[]> {
  return await db.any(sql.type(Upload)`
    select ${columns} from video.uploads
    where state in ('open', 'paused') and expires_at < now() order by expires_at limit ${limit}`)
}

/** Aborted and expired sessions that expired `days` ago, at most `limit`; those of deleted assets are deleted with them. */
export async function listOver(db: Db, days: number, limit: number): Promise<readonly Upload[]> {
  return await db.any(sql.type(Upload)`
    select ${columns} from video.uploads as u
    where state in ('aborted', 'expired') and expires_at < now() - ${days} * interval '1 day'
      and exists (select from video.assets as a where a.id = u.asset_id and a.status = 'aborted')
    order by expires_at limit ${limit}`)
}
