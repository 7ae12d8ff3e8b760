import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'video',
  'watermarks',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string().nullable(),
    bytes: z.number(),
    content_type: z.enum(['image/png', 'image/jpeg']),
    width: z.number(),
    height: z.number(),
    created_at: z.date(),
  }),
)

export const Watermark = table.Row

export type Watermark = z.infer<typeof Watermark>

/** Placement of a watermark: its ID, its corner, and its opacity (0.05 to 0.9). */
export const Placement = z.object({
  watermarkId: Id,
  position: z.enum(['tl', 'tr', 'bl', 'br']),
  opacity: z.number(),
})

export type Placement = z.infer<typeof Placement>

const columns = table.columns()

export const imageKey = (id: string) => `video/watermarks/${id}`

/** Records an image that must still be decoded. Returns `null` if the organisation has `max` watermarks. */
export async function insert(tx: Db, watermark: Omit<Watermark, 'created_at'>, max: number): Promise<Watermark | null> {
  await lockOrgLimit(tx, watermark.org_id, 'video.watermarks')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from video.watermarks where org_id = ${watermark.org_id}`)
  if (count >= max) return null
  return await tx.one(sql.type(Watermark)`${table.insert(watermark)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Watermark | null> {
  return await db.maybeOne(sql.type(Watermark)`
    select ${columns} from video.watermarks where id = ${id} and org_id = ${orgId} and state = 'ready'`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Watermark[]> {
  const after = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(Watermark)`
    select ${columns} from video.watermarks where org_id = ${orgId} and state = 'ready' ${after}
    order by id desc limit ${limit}`)
}

export async function setReady(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update video.watermarks set state = 'ready' where id = ${id}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.watermarks where id = ${id}`)
}

export async function listAbandoned(db: Db, limit: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from video.watermarks where state = 'checking' and created_at < now() - interval '1 hour' limit ${limit}`)
}
