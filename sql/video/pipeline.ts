import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { type Asset, table as assets } from './assets.ts'
import type { LeftOut } from './left-out.ts'

/** The columns of an asset that pipeline tasks read. Only the engine reads `mezzanine` and `plan`. */
export const Work = assets.Row.pick({
  id: true,
  org_id: true,
  bytes: true,
  profile: true,
  status: true,
  stage: true,
  mezzanine: true,
  plan: true,
  left_out: true,
  watermark: true,
  package_id: true,
  playable_at: true,
})

export type Work = z.infer<typeof Work>

export async function find(db: Db, id: string): Promise<Work | null> {
  return await db.maybeOne(sql.type(Work)`
    select ${getColumns(Work)} from video.assets where id = ${id} and status = 'processing'`)
}

/** Starts processing after the upload is complete. Returns false if processing has already started. */
export async function begin(tx: Db, id: string): Promise<boolean> {
  const begun = await tx.query(sql.typeAlias('void')`
    update video.assets set status = 'processing', stage = 'queued', processing_at = now()
    where id = ${id} and status = 'uploading'`)
  return begun.rowCount === 1
}

const order = ['queued', 'probing', 'remuxing', 'packaging_source', 'encoding', 'packaging']

/** Moves an asset to a later stage. Never moves it back, because tasks can run again. */
export async function setStage(db: Db, id: string, stage: Asset['stage']): Promise<void> {
  const earlier = order.slice(0, order.indexOf(stage))
  await db.query(sql.typeAlias('void')`
    update video.assets set stage = ${stage}
    where id = ${id} and status = 'processing' and stage = any(${sql.array(earlier, 'text')})`)
}

export interface Facts {
  duration_seconds: number
  width: number | null
  height: number | null
  frame_rate: number | null
  left_out: LeftOut[]
}

/** Stores the mezzanine and the plan of all chunks. Returns false if they were already stored. */
export async function setPlan(
  tx: Db,
  id: string,
  planned: { mezzanine: unknown; plan: unknown; units: number; facts: Facts },
): Promise<boolean> {
  const { facts } = planned
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set mezzanine = ${JSON.stringify(planned.mezzanine)}::jsonb,
      plan = ${JSON.stringify(planned.plan)}::jsonb, work_units = ${planned.units},
      duration_seconds = ${facts.duration_seconds}, width = ${facts.width}, height = ${facts.height},
      frame_rate = ${facts.frame_rate}, left_out = ${JSON.stringify(facts.left_out)}::jsonb
    where id = ${id} and status = 'processing' and mezzanine is null`)
  return set.rowCount === 1
}

export async function addLeftOutTrack(tx: Db, id: string, track: LeftOut): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets set left_out = left_out || ${JSON.stringify([track])}::jsonb where id = ${id} and status = 'processing'`)
}

/** Records that a poster is stored. Returns false if the asset has failed. */
export async function setPoster(db: Db, id: string): Promise<boolean> {
  const set = await db.query(sql.typeAlias('void')`
    update video.assets set poster = true, only_own_poster = false where id = ${id} and status in ('processing', 'ready')`)
  return set.rowCount === 1
}

/** Serves the first package until all renditions are ready. Returns false if a package is already served. */
export async function markPlayable(tx: Db, id: string, packageId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set package_id = ${packageId}, playable_at = now()
    where id = ${id} and status = 'processing' and package_id is null`)
  return set.rowCount === 1
}

/** Locks an asset. Returns the time from which viewers can watch it, or `null` if they cannot. */
export async function lockPlayable(tx: Db, id: string): Promise<Date | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ playable_at: z.date().nullable() }))`
    select playable_at from video.assets where id = ${id} for no key update`)
}

/** Serves the package with all renditions. Returns false if the asset is no longer being processed. */
export async function markReady(tx: Db, id: string, packageId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set package_id = ${packageId}, playable_at = coalesce(playable_at, now()), ready_at = now(),
      status = 'ready', stage = 'ready'
    where id = ${id} and status = 'processing'`)
  return set.rowCount === 1
}

export async function listProcessing(db: Db, ids: string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from video.assets where id::text = any(${sql.array(ids, 'text')}) and status = 'processing'`)
}

/** Failure codes that the upload did not cause, so an operator can retry. */
export const retryableCodes: readonly string[] = ['internal', 'cancelled', 'no_room', 'storage_away', 'database_away']

/**
 * Resets a failed asset to the start of its processing. Returns its organisation, or `null` if the asset has not failed
 * or its upload was deleted.
 */
export async function revive(tx: Db, id: string): Promise<string | null> {
  const orgId = await tx.maybeOneFirst(sql.type(z.object({ org_id: Id }))`
    update video.assets set status = 'processing', stage = 'queued', processing_at = now(), failure_code = null,
      failure_summary = null, mezzanine = null, plan = null, work_units = null, playable_at = null
    where id = ${id} and status = 'failed' and source_removed_at is null
      and failure_code = any(${sql.array(retryableCodes, 'text')})
    returning org_id`)
  if (orgId !== null) await tx.query(sql.typeAlias('void')`delete from video.parts where asset_id = ${id}`)
  return orgId
}

/** Records that a failed asset’s upload is about to be deleted. Returns false if the asset is being retried. */
export async function markSourceDeleted(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update video.assets set source_removed_at = coalesce(source_removed_at, now()) where id = ${id} and status = 'failed'`)
  return rowCount > 0
}

/**
 * Fails processing with a message for the owner and stops serving the asset. Returns false if processing had already
 * ended.
 */
export async function fail(db: Db, id: string, code: string, summary: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update video.assets set status = 'failed', stage = 'failed', failure_code = ${code}, failure_summary = ${summary},
      package_id = null, poster = false, own_poster = null, preview = null
    where id = ${id} and status = 'processing'`)
  return rowCount === 1
}
