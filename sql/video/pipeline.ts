import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf } from '../table.ts'
import { type Asset, table as assets } from './assets.ts'
import type { LeftOut } from './left-out.ts'

/** What the tasks of the pipeline read of an asset; `mezzanine` and `plan` are the engine's own accounts. */
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

/** The parsed row. */
export type Work = z.infer<typeof Work>

/** The asset, if it is still being processed. */
export async function find(db: Db, id: string): Promise<Work | null> {
  return await db.maybeOne(sql.type(Work)`
    select ${columnsOf(Work)} from video.assets where id = ${id} and status = 'processing'`)
}

/** The upload is whole: processing begins. False when it had begun already. */
export async function begin(tx: Db, id: string): Promise<boolean> {
  const begun = await tx.query(sql.typeAlias('void')`
    update video.assets set status = 'processing', stage = 'queued', processing_at = now()
    where id = ${id} and status = 'uploading'`)
  return begun.rowCount === 1
}

const order = ['queued', 'probing', 'remuxing', 'packaging_source', 'encoding', 'packaging']

/** Moves an asset on to a stage; never back, as its tasks may run again. */
export async function enter(db: Db, id: string, stage: Asset['stage']): Promise<void> {
  const earlier = order.slice(0, order.indexOf(stage))
  await db.query(sql.typeAlias('void')`
    update video.assets set stage = ${stage}
    where id = ${id} and status = 'processing' and stage = any(${sql.array(earlier, 'text')})`)
}

/** What is known of the source, as its owner sees it. */
export interface Facts {
  duration_seconds: number
  width: number | null
  height: number | null
  frame_rate: number | null
  left_out: LeftOut[]
}

/** Records the mezzanine and the plan that all chunks follow; false when that was done before. */
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

/** Notes that a track is not in what is made of an asset. */
export async function leaveOut(tx: Db, id: string, track: LeftOut): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets set left_out = left_out || ${JSON.stringify([track])}::jsonb where id = ${id} and status = 'processing'`)
}

/** Notes that a poster is stored; false when the asset has failed meanwhile. */
export async function setPoster(db: Db, id: string): Promise<boolean> {
  const set = await db.query(sql.typeAlias('void')`
    update video.assets set poster = true where id = ${id} and status in ('processing', 'ready')`)
  return set.rowCount === 1
}

/** Serves the source package until the ladder is there; false when a package is served already. */
export async function becomePlayable(tx: Db, id: string, packageId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set package_id = ${packageId}, playable_at = now()
    where id = ${id} and status = 'processing' and package_id is null`)
  return set.rowCount === 1
}

/** Since when an asset, which is locked by it, can be watched; null when it cannot yet. */
export async function lockPlayable(tx: Db, id: string): Promise<Date | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ playable_at: z.date().nullable() }))`
    select playable_at from video.assets where id = ${id} for no key update`)
}

/** Serves the ladder from now on; false when the asset is not being processed any more. */
export async function becomeReady(tx: Db, id: string, packageId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update video.assets set package_id = ${packageId}, playable_at = coalesce(playable_at, now()), ready_at = now(),
      status = 'ready', stage = 'ready'
    where id = ${id} and status = 'processing'`)
  return set.rowCount === 1
}

/** Which of some assets are still being processed. */
export async function listProcessing(db: Db, ids: string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from video.assets where id::text = any(${sql.array(ids, 'text')}) and status = 'processing'`)
}

/** Why an asset's failure can be undone: it was not the upload's fault. */
export const undoable: readonly string[] = ['internal', 'cancelled', 'no_room', 'storage_away', 'database_away']

/**
 * Brings a failed asset whose upload is still there back to where its processing began; its organisation, or null when it
 * has not failed or its upload is gone.
 */
export async function revive(tx: Db, id: string): Promise<string | null> {
  const orgId = await tx.maybeOneFirst(sql.type(z.object({ org_id: Id }))`
    update video.assets set status = 'processing', stage = 'queued', processing_at = now(), failure_code = null,
      failure_summary = null, mezzanine = null, plan = null, work_units = null, playable_at = null
    where id = ${id} and status = 'failed' and source_removed_at is null
      and failure_code = any(${sql.array(undoable, 'text')})
    returning org_id`)
  if (orgId !== null) await tx.query(sql.typeAlias('void')`delete from video.parts where asset_id = ${id}`)
  return orgId
}

/** Notes that a failed asset's upload is about to be removed; false when the asset has been brought back. */
export async function giveUpSource(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update video.assets set source_removed_at = coalesce(source_removed_at, now()) where id = ${id} and status = 'failed'`)
  return rowCount > 0
}

/** Ends processing with a sentence for the owner: what was playable is served no more. False when it had ended already. */
export async function fail(db: Db, id: string, code: string, summary: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update video.assets set status = 'failed', stage = 'failed', failure_code = ${code}, failure_summary = ${summary},
      package_id = null, poster = false
    where id = ${id} and status = 'processing'`)
  return rowCount === 1
}
