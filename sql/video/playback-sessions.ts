import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Visibility } from './assets.ts'

/** A viewer's right to play one asset on one host. */
export interface NewSession {
  id: string
  org_id: string
  asset_id: string
  host: string
  viewer_id: string | null
  expires_at: string
}

/** Records sessions, many in one statement. */
export async function insertMany(tx: Db, sessions: NewSession[]): Promise<void> {
  await tx.query(sql.prepared('playback_sessions.insert_many', z.object({}))`
    insert into video.playback_sessions (id, org_id, asset_id, host, viewer_id, expires_at)
    select * from json_to_recordset(${JSON.stringify(sessions)}::json) as
      (id uuid, org_id uuid, asset_id uuid, host text, viewer_id text, expires_at timestamptz)`)
}

/** Revokes a session of an organisation; false when it has none such. Revoking twice is the same. */
export async function revoke(db: Db, orgId: string, id: string): Promise<boolean> {
  const revoked = await db.query(sql.typeAlias('void')`
    update video.playback_sessions set revoked_at = coalesce(revoked_at, now()) where id = ${id} and org_id = ${orgId}`)
  return revoked.rowCount === 1
}

/** What the origin must know to serve a request: the asset, and whether the session still holds. */
export const Grant = z.object({
  asset_id: Id,
  visibility: Visibility,
  package_id: Id.nullable(),
  poster: z.boolean(),
  live: z.boolean(),
})

/** The parsed row. */
export type Grant = z.infer<typeof Grant>

/** The grants of many sessions, looked up in one statement; a missing or ended one has `live` false or no row. */
export async function findGrants(db: Db, ids: string[]): Promise<readonly (Grant & { session_id: string })[]> {
  return await db.any(sql.type(Grant.extend({ session_id: Id }))`
    select s.id as session_id, a.id as asset_id, a.visibility, a.package_id, a.poster,
      s.revoked_at is null and s.expires_at > now() as live
    from video.playback_sessions as s join video.assets as a on a.id = s.asset_id
    where s.id = any(${sql.array(ids, 'uuid')}) and a.status in ('processing', 'ready')`)
}

/** The grants of many assets without a session: live for those that need none. */
export async function findOpenGrants(db: Db, assetIds: string[]): Promise<readonly Grant[]> {
  return await db.any(sql.type(Grant)`
    select id as asset_id, visibility, package_id, poster, visibility in ('unlisted', 'public') as live
    from video.assets where id = any(${sql.array(assetIds, 'uuid')}) and status in ('processing', 'ready')`)
}

/** Forgets sessions that ended more than a day ago, at most `limit`; returns how many. */
export async function deleteExpired(db: Db, limit: number): Promise<number> {
  const deleted = await db.query(sql.typeAlias('void')`
    delete from video.playback_sessions where id in (
      select id from video.playback_sessions where expires_at < now() - interval '1 day' limit ${limit})`)
  return deleted.rowCount
}
