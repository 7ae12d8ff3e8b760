import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { everything, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { AnimatedPreview } from './animated-preview.ts'
import * as assetMetadata from './asset-metadata.ts'
import { CaptionTrack } from './caption-track.ts'
import { Chapter } from './chapter.ts'
import { ClippedFrom } from './clipped-from.ts'
import { LeftOut } from './left-out.ts'
import { SoundTrack } from './sound-track.ts'
import { Placement } from './watermarks.ts'

export const Status = z.enum(['uploading', 'processing', 'ready', 'failed', 'aborted'])

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

export const Visibility = z.enum(['private', 'signed', 'unlisted', 'public'])

export const Metadata = z.record(z.string(), z.string())

export const table = defineTable(
  'video',
  'assets',
  z.object({
    id: Id,
    org_id: Id,
    title: z.string().nullable(),
    description: z.string().nullable(),
    metadata: Metadata,
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
    /** Only the engine reads and writes `mezzanine` and `plan`. */
    mezzanine: z.unknown(),
    plan: z.unknown(),
    watermark: Placement.nullable(),
    captions: z.array(z.string()),
    caption_tracks: z.array(CaptionTrack),
    clipped_from: ClippedFrom.nullable(),
    chapters: z.array(Chapter),
    has_chapters: z.boolean(),
    own_poster: Id.nullable(),
    /** True if no automatic poster exists. */
    only_own_poster: z.boolean(),
    preview: AnimatedPreview.nullable(),
    sound_tracks: z.array(SoundTrack),
    playable_at: z.date().nullable(),
    ready_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export const Asset = table.Row.omit({
  mezzanine: true,
  plan: true,
  watermark: true,
  captions: true,
  caption_tracks: true,
  chapters: true,
  has_chapters: true,
  only_own_poster: true,
  sound_tracks: true,
}).extend({ status: Status })

export type Asset = z.infer<typeof Asset>

const columns = getColumns(Asset)

export type NewAsset = Pick<
  z.infer<typeof table.Row>,
  'id' | 'org_id' | 'title' | 'external_ref' | 'filename' | 'mime_type' | 'bytes' | 'profile' | 'watermark'
> &
  Partial<Pick<z.infer<typeof table.Row>, 'description' | 'metadata' | 'visibility' | 'clipped_from'>>

export async function insert(tx: Db, asset: NewAsset): Promise<Asset> {
  const made = await tx.one(sql.type(Asset)`${table.insert(asset)} returning ${columns}`)
  if (Object.keys(made.metadata).length > 0) await assetMetadata.updateIndex(tx, made.id)
  return made
}

export async function find(db: Db, orgId: string, id: string): Promise<Asset | null> {
  return await db.maybeOne(sql.type(Asset)`select ${columns} from video.assets
    where id = ${id} and org_id = ${orgId} and status <> 'deleted'`)
}

/**
 * Returns an asset of any organisation that is not deleted: for workers, and for viewers whose token is checked
 * elsewhere.
 */
export async function findAny(db: Db, id: string): Promise<Asset | null> {
  return await db.maybeOne(sql.type(Asset)`
    select ${columns} from video.assets where id = ${id} and status <> 'deleted'`)
}

/** Returns a deleted asset. `longAgo` is true if no job can still run for the asset. */
export async function findDeleted(db: Db, id: string): Promise<{ longAgo: boolean } | null> {
  return await db.maybeOne(sql.type(z.object({ longAgo: z.boolean() }))`
    select deleted_at < now() - interval '1 hour' as "longAgo" from video.assets where id = ${id} and status = 'deleted'`)
}

/** Millrace creates no ID with a later time. IDs of clients could contain a time that Postgres cannot read. */
const lastInstant = Date.UTC(9999, 0)

export const filters = {
  status: table.equals('status', 'a'),
  visibility: table.equals('visibility', 'a'),
  externalRef: table.equals('external_ref', 'a'),
  clippedFrom: (id: string) => sql.fragment`a.clipped_from ->> 'assetId' = ${id}`,
}

export interface MetadataEntry {
  key: string
  value: string
}

/**
 * Lists assets, newest first, after the asset with ID `before`. If that asset no longer exists, its position comes from
 * the time in its ID. Only recordings differ from this time.
 */
export async function list(
  db: Db,
  orgId: string,
  { where, metadata, before, limit }: Page<typeof filters> & { metadata: MetadataEntry | undefined },
): Promise<readonly Asset[]> {
  // Both have an index in the order of the list.
  const [from, createdAt, id] = metadata
    ? [
        sql.fragment`video.asset_metadata as m join video.assets as a on a.id = m.asset_id
          and m.org_id = ${orgId} and m.key = ${metadata.key} and m.value = ${metadata.value}`,
        sql.fragment`m.created_at`,
        sql.fragment`m.asset_id`,
      ]
    : [sql.fragment`video.assets as a`, sql.fragment`a.created_at`, sql.fragment`a.id`]
  const behind = before
    ? sql.fragment`(${createdAt}, ${id}) < (coalesce((select created_at from video.assets where id = ${before}),
        ${new Date(Math.min(getIdTime(before), lastInstant)).toISOString()}::timestamptz), ${before}::uuid)`
    : everything
  return await db.any(sql.type(Asset)`
    select ${getColumns(Asset, 'a')} from ${from}
    where a.org_id = ${orgId} and a.status <> 'deleted' and ${where} and ${behind}
    order by ${createdAt} desc, ${id} desc limit ${limit}`)
}

export type Changes = {
  [Name in 'title' | 'description' | 'external_ref' | 'metadata' | 'visibility']?: Asset[Name] | undefined
}

export async function lock(tx: Db, orgId: string, id: string): Promise<Asset | null> {
  return await tx.maybeOne(sql.type(Asset)`
    select ${columns} from video.assets where id = ${id} and org_id = ${orgId} and status <> 'deleted' for no key update`)
}

/** Changes the given fields. At least one must be given. Returns `null` if the organisation does not have the asset. */
export async function change(tx: Db, orgId: string, id: string, changes: Changes): Promise<Asset | null> {
  const changed = await tx.maybeOne(sql.type(Asset)`
    update video.assets set ${table.set(changes)} where id = ${id} and org_id = ${orgId} and status <> 'deleted'
    returning ${columns}`)
  if (changed && changes.metadata !== undefined) await assetMetadata.updateIndex(tx, changed.id)
  return changed
}

/** Soft-deletes an asset. Returns false if the organisation does not have it. The row is deleted after the files. */
export async function markDeleted(tx: Db, orgId: string, id: string): Promise<boolean> {
  const deleted = await tx.query(sql.typeAlias('void')`
    update video.assets set status = 'deleted', deleted_at = now(), package_id = null, poster = false
    where id = ${id} and org_id = ${orgId} and status <> 'deleted'`)
  return deleted.rowCount === 1
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.assets where id = ${id} and status = 'deleted'`)
}

export async function abort(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'aborted', stage = 'aborted' where id = ${id} and status = 'uploading'`)
}

/** Fails an upload with a message for its owner. Returns false if the upload has already ended. */
export async function failUpload(tx: Db, id: string, code: string, summary: string): Promise<boolean> {
  const failed = await tx.query(sql.typeAlias('void')`
    update video.assets set status = 'failed', stage = 'failed', failure_code = ${code}, failure_summary = ${summary},
      source_removed_at = now()
    where id = ${id} and status = 'uploading'`)
  return failed.rowCount === 1
}

export async function setBytes(tx: Db, id: string, bytes: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets set bytes = ${bytes} where id = ${id} and status = 'uploading' and bytes <> ${bytes}`)
}

export async function removeAborted(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.assets where id = ${id} and status = 'aborted'`)
}

export async function findMany(db: Db, ids: string[]): Promise<readonly Asset[]> {
  return await db.any(sql.type(Asset)`
    select ${columns} from video.assets where id = any(${sql.array(ids, 'uuid')}) and status <> 'deleted'`)
}

/** Returns the ID of the newest asset with this reference that has not failed. `null` if there is none. */
export async function findByExternalRef(db: Db, orgId: string, externalRef: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
    select id from video.assets
    where org_id = ${orgId} and external_ref = ${externalRef} and status in ('uploading', 'processing', 'ready')
    order by created_at desc, id desc limit 1`)
}
