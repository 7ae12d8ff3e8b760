import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { SoundTrack } from './sound-track.ts'

export const SoundState = z.enum(['queued', 'ready', 'failed'])

export const table = defineTable(
  'video',
  'sounds',
  z.object({
    id: Id,
    org_id: Id,
    asset_id: Id,
    source_asset_id: Id,
    language: z.string(),
    name: z.string().nullable(),
    is_default: z.boolean(),
    state: SoundState,
    failure_code: z.string().nullable(),
    failure_summary: z.string().nullable(),
    package_id: Id.nullable(),
    bytes: z.number().nullable(),
    created_at: z.date(),
  }),
)

export type Sound = z.infer<typeof table.Row>

const columns = table.columns()

/** Maximum number of added audio tracks of an asset. */
export const maxSounds = 20

/** Stores a requested track. Returns `null` if the asset has too many tracks. The caller holds the lock of the asset. */
export async function insert(
  tx: Db,
  sound: Pick<Sound, 'id' | 'org_id' | 'asset_id' | 'source_asset_id' | 'language' | 'name' | 'is_default'>,
): Promise<Sound | null> {
  const count = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from video.sounds where asset_id = ${sound.asset_id} and state <> 'failed'`)
  if (count >= maxSounds) return null
  return await tx.one(sql.type(table.Row)`${table.insert(sound)} returning ${columns}`)
}

export async function list(db: Db, orgId: string, assetId: string): Promise<readonly Sound[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from video.sounds where asset_id = ${assetId} and org_id = ${orgId} order by id`)
}

export async function find(db: Db, orgId: string, assetId: string, id: string): Promise<Sound | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from video.sounds where id = ${id} and asset_id = ${assetId} and org_id = ${orgId}`)
}

/** Returns a track that must still be added to a ready asset. */
export async function findWork(db: Db, id: string): Promise<Sound | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('s')} from video.sounds as s join video.assets as a on a.id = s.asset_id
    where s.id = ${id} and s.state = 'queued' and a.status = 'ready'`)
}

/** Returns the added tracks that players offer. */
export async function findSoundTracks(db: Db, assetId: string): Promise<readonly SoundTrack[]> {
  return await db.oneFirst(sql.type(z.object({ sound_tracks: z.array(SoundTrack) }))`
    select coalesce((select sound_tracks from video.assets where id = ${assetId}), '[]') as sound_tracks`)
}

/** Stores a finished track. Returns false if it was deleted, or its asset is no longer ready. */
export async function markReady(
  tx: Db,
  { id, asset_id }: Pick<Sound, 'id' | 'asset_id'>,
  made: { packageId: string; bytes: number; peak: number },
): Promise<boolean> {
  if (!(await lockServing(tx, asset_id, made.packageId))) return false
  const set = await tx.query(sql.typeAlias('void')`
    update video.sounds set state = 'ready', package_id = ${made.packageId}, bytes = ${made.bytes}
    where id = ${id} and state = 'queued'`)
  if (set.rowCount === 0) return false
  await offer(tx, asset_id)
  return true
}

async function lockServing(tx: Db, assetId: string, packageId: string): Promise<boolean> {
  const locked = await tx.maybeOne(sql.type(z.object({ id: Id }))`
    select id from video.assets where id = ${assetId} and status = 'ready' and package_id = ${packageId}
    for no key update`)
  return locked !== null
}

/** Lists the ready tracks in the asset's row. Only one is the default: the newest that was requested as default. */
async function offer(tx: Db, assetId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.assets as a set sound_tracks = coalesce((
      select jsonb_agg(jsonb_build_object('id', s.id, 'language', s.language, 'name', s.name, 'packageId', s.package_id,
        'isDefault', s.id = (select max(d.id::text)::uuid from video.sounds as d where d.asset_id = a.id and d.state = 'ready' and d.is_default),
        'peak', coalesce((select peak_bit_rate from video.renditions as r where r.package_id = s.package_id
          and r.name = 'sound_' || right(replace(s.id::text, '-', ''), 12)), 0)) order by s.id)
      from video.sounds as s where s.asset_id = a.id and s.state = 'ready'), '[]')
    where id = ${assetId}`)
}

export async function fail(tx: Db, id: string, code: string, summary: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update video.sounds set state = 'failed', failure_code = ${code}, failure_summary = ${summary}
    where id = ${id} and state = 'queued'`)
}

/** Deletes a track. Players no longer offer it. The caller holds the lock of the asset. */
export async function remove(tx: Db, orgId: string, assetId: string, id: string): Promise<Sound | null> {
  const removed = await tx.maybeOne(sql.type(table.Row)`
    delete from video.sounds where id = ${id} and asset_id = ${assetId} and org_id = ${orgId} returning ${columns}`)
  if (removed) await offer(tx, assetId)
  return removed
}
