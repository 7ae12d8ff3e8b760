import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'
import { LeftOut } from './left-out.ts'
import { Placement } from './watermarks.ts'

/** The status of an asset, as its owner sees it. */
export const Status = z.enum(['uploading', 'processing', 'ready', 'failed', 'aborted'])

/** The stage of an asset in the pipeline. */
export const Stage = z.enum([
  'uploading',
  'queued',
  'probing',
  'remuxing',
  'packaging_source',
  'encoding',
  'packaging',
  'ready',
  'failed',
  'aborted',
])

/** Who may play an asset. */
export const Visibility = z.enum(['private', 'signed', 'unlisted', 'public'])

/** Assets: what their owners see, what the pipeline knows, and what is served. */
export const table = defineTable(
  'video',
  'assets',
  z.object({
    id: Id,
    org_id: Id,
    title: z.string().nullable(),
    external_ref: z.string().nullable(),
    filename: z.string().nullable(),
    mime_type: z.string().nullable(),
    bytes: z.number(),
    profile: z.enum(['standard_vod', 'fast_social']),
    visibility: Visibility,
    status: Status.or(z.literal('deleted')),
    stage: Stage,
    failure_code: z.string().nullable(),
    failure_summary: z.string().nullable(),
    duration_seconds: z.number().nullable(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    frame_rate: z.number().nullable(),
    left_out: z.array(LeftOut),
    poster: z.boolean(),
    package_id: Id.nullable(),
    work_units: z.number().nullable(),
    /** The engine's own accounts, as is `plan`. */
    mezzanine: z.unknown(),
    plan: z.unknown(),
    watermark: Placement.nullable(),
    captions: z.array(z.string()),
    playable_at: z.date().nullable(),
    ready_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

/** An asset that is not deleted, without what only the pipeline and the origin read. */
export const Asset = table.Row.omit({ mezzanine: true, plan: true, watermark: true, captions: true }).extend({
  status: Status,
})

/** The parsed row. */
export type Asset = z.infer<typeof Asset>

const columns = columnsOf(Asset)

/** An asset about to exist. */
export type NewAsset = Pick<
  z.infer<typeof table.Row>,
  'id' | 'org_id' | 'title' | 'external_ref' | 'filename' | 'mime_type' | 'bytes' | 'profile' | 'watermark'
>

/** Creates an asset that waits for its bytes. */
export async function insert(db: Db, asset: NewAsset): Promise<Asset> {
  return await db.one(sql.type(Asset)`${table.insert(asset)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Asset | null> {
  return await db.maybeOne(sql.type(Asset)`select ${columns} from video.assets
    where id = ${id} and org_id = ${orgId} and status <> 'deleted'`)
}

/** One asset that is not deleted, of any organisation: for workers, and for viewers whose token is checked elsewhere. */
export async function findAny(db: Db, id: string): Promise<Asset | null> {
  return await db.maybeOne(sql.type(Asset)`
    select ${columns} from video.assets where id = ${id} and status <> 'deleted'`)
}

/** A deleted asset: `longAgo` when no job can still run for it. */
export async function findDeleted(db: Db, id: string): Promise<{ longAgo: boolean } | null> {
  return await db.maybeOne(sql.type(z.object({ longAgo: z.boolean() }))`
    select deleted_at < now() - interval '1 hour' as "longAgo" from video.assets where id = ${id} and status = 'deleted'`)
}

/** An organisation's assets, newest first, after the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  filter: { status: Asset['status'] | undefined; before: string | undefined; limit: number },
): Promise<readonly Asset[]> {
  const status = filter.status ? sql.fragment`and status = ${filter.status}` : sql.fragment``
  const before = filter.before ? sql.fragment`and id < ${filter.before}` : sql.fragment``
  return await db.any(sql.type(Asset)`
    select ${columns} from video.assets where org_id = ${orgId} and status <> 'deleted' ${status} ${before}
    order by id desc limit ${filter.limit}`)
}

/** Changes who may play an asset; null when the organisation has no such asset. */
export async function setVisibility(
  db: Db,
  orgId: string,
  id: string,
  visibility: Asset['visibility'],
): Promise<Asset | null> {
  return await db.maybeOne(sql.type(Asset)`
    update video.assets set visibility = ${visibility} where id = ${id} and org_id = ${orgId} and status <> 'deleted'
    returning ${columns}`)
}

/** Soft-deletes an asset; false when the organisation has no such asset. Its row is deleted once its files are. */
export async function markDeleted(tx: Db, orgId: string, id: string): Promise<boolean> {
  const deleted = await tx.query(sql.typeAlias('void')`
    update video.assets set status = 'deleted', deleted_at = now(), package_id = null, poster = false
    where id = ${id} and org_id = ${orgId} and status <> 'deleted'`)
  return deleted.rowCount === 1
}

/** Deletes the row of a deleted asset and all rows about it. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.assets where id = ${id} and status = 'deleted'`)
}

/** Ends an upload that will not be completed. */
export async function abort(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'aborted', stage = 'aborted' where id = ${id} and status = 'uploading'`)
}

/** Deletes an asset whose upload was aborted, with the upload. */
export async function removeAborted(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.assets where id = ${id} and status = 'aborted'`)
}

/** Some assets, of any organisation. */
export async function findMany(db: Db, ids: string[]): Promise<readonly Asset[]> {
  return await db.any(sql.type(Asset)`
    select ${columns} from video.assets where id = any(${sql.array(ids, 'uuid')}) and status <> 'deleted'`)
}
