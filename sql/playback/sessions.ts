import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { table as channels, revokedChannel } from '../live/channels.ts'
import { hours } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { table as assets } from '../video/assets.ts'

export const table = defineTable(
  'video',
  'playback_sessions',
  z.object({
    id: Id,
    org_id: Id,
    asset_id: Id.nullable(),
    channel_id: Id.nullable(),
    host: z.string(),
    viewer_id: z.string().nullable(),
    allowed_countries: z.array(z.string()),
    blocked_countries: z.array(z.string()),
    max_concurrent: z.number().nullable(),
    window_start: z.number().nullable(),
    window_end: z.number().nullable(),
    expires_at: z.date(),
  }),
  { retention: hours(24, 'expires_at') },
)

/** Permission for a viewer to play one asset or channel on one host, until a time in ISO 8601. */
export type NewSession = Omit<z.infer<typeof table.Row>, 'expires_at' | 'window_start' | 'window_end'> &
  SessionWindow & { expires_at: string }

/** Part of an asset that a session can play, in seconds. Default: all of it. */
export type SessionWindow = Partial<Pick<z.infer<typeof table.Row>, 'window_start' | 'window_end'>>

export async function insertMany(tx: Db, sessions: NewSession[]): Promise<void> {
  if (sessions.length === 0) return
  await tx.query(sql.prepared('playback_sessions.insert_many', z.object({}))`${table.insertMany(sessions)}`)
}

export interface Viewer {
  org_id: string
  viewer_id: string
}

/**
 * Counts the active sessions of each viewer, by `nameOf`. Locks the viewers until the transaction ends, so that only
 * one request can take the last session. The locks have a fixed order, so they do not deadlock.
 */
export async function lockActive(tx: Db, viewers: Viewer[]): Promise<ReadonlyMap<string, number>> {
  const list = JSON.stringify(viewers)
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${advisoryLockSpaces.viewer}, key) as locked from (
      select distinct hashtext(v.org_id || v.viewer_id) as key
      from json_to_recordset(${list}::json) as v (org_id text, viewer_id text) order by key) as keys`)
  const ActiveCount = z.object({ org_id: Id, viewer_id: z.string(), active: z.number() })
  const rows = await tx.any(sql.type(ActiveCount)`
    select v.org_id, v.viewer_id, count(s.id)::integer as active
    from (select distinct * from json_to_recordset(${list}::json) as v (org_id uuid, viewer_id text)) as v
    left join video.playback_sessions as s
      on s.org_id = v.org_id and s.viewer_id = v.viewer_id and s.revoked_at is null and s.expires_at > now()
    group by v.org_id, v.viewer_id`)
  return new Map(rows.map((row) => [getViewerKey(row), row.active]))
}

export const getViewerKey = ({ org_id, viewer_id }: Viewer): string => `${org_id}/${viewer_id}`

/**
 * Revokes a session. Returns false if the organisation does not have it. Another call changes nothing. If the session
 * is live, notifies workers, because its requests may be waiting for parts.
 */
export async function revoke(db: Db, orgId: string, id: string): Promise<boolean> {
  const revoked = await db.query(sql.type(z.object({ notified: z.unknown() }))`
    with revoked as (
      update video.playback_sessions set revoked_at = coalesce(revoked_at, now())
      where id = ${id} and org_id = ${orgId} returning id, channel_id)
    select case when channel_id is not null then pg_notify(${revokedChannel}, id::text) end as notified from revoked`)
  return revoked.rowCount === 1
}

export const Session = table.Row.extend({ revoked_at: z.date().nullable(), created_at: z.date() })

export type Session = z.infer<typeof Session>

export const filters = {
  assetId: table.equals('asset_id'),
  channelId: table.equals('channel_id'),
  viewerId: table.equals('viewer_id'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Session[]> {
  return await db.any(sql.type(Session)`
    select ${getColumns(Session)} from video.playback_sessions where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function revokeViewer(db: Db, orgId: string, viewerId: string): Promise<number> {
  const revoked = await db.query(sql.type(z.object({ notified: z.unknown() }))`
    with revoked as (
      update video.playback_sessions set revoked_at = now()
      where org_id = ${orgId} and viewer_id = ${viewerId} and revoked_at is null and expires_at > now()
      returning id, channel_id)
    select case when channel_id is not null then pg_notify(${revokedChannel}, id::text) end as notified from revoked`)
  return revoked.rowCount
}

const OfAsset = assets.Row.pick({
  org_id: true,
  title: true,
  visibility: true,
  package_id: true,
  poster: true,
  captions: true,
  caption_tracks: true,
  own_poster: true,
  preview: true,
  has_chapters: true,
  sound_tracks: true,
})
const OfSession = table.Row.pick({ allowed_countries: true, blocked_countries: true })
const OfWindow = table.Row.pick({ window_start: true, window_end: true })

const Embedding = { embed_origins: z.array(z.string()) }

const embedOrigins = (of: 'a' | 'assets' | 'c' | 'channels') => sql.fragment`coalesce(
  (select e.origins from video.embedding as e where e.org_id = ${sql.identifier([of, 'org_id'])}), '{}') as embed_origins`

export const Grant = z.object({
  asset_id: Id,
  ...OfAsset.shape,
  live: z.boolean(),
  ...OfSession.shape,
  ...OfWindow.shape,
  ...Embedding,
})

export type Grant = z.infer<typeof Grant>

/**
 * Returns the grants of many sessions in one statement. `live` is false for an ended session. A missing session has no
 * row.
 */
export async function findGrants(db: Db, ids: string[]): Promise<readonly (Grant & { session_id: string })[]> {
  return await db.any(sql.type(Grant.extend({ session_id: Id }))`
    select s.id as session_id, a.id as asset_id, ${getColumns(OfAsset, 'a')},
      s.revoked_at is null and s.expires_at > now() as live, ${getColumns(OfSession, 's')}, ${getColumns(OfWindow, 's')},
      ${embedOrigins('a')}
    from video.playback_sessions as s join video.assets as a on a.id = s.asset_id
    where s.id = any(${sql.array(ids, 'uuid')}) and a.status in ('processing', 'ready') and ${isOpen('a')}`)
}

/** Returns the grants of many assets without a session. `live` is true for assets that need no token. */
export async function findOpenGrants(db: Db, assetIds: string[]): Promise<readonly Grant[]> {
  return await db.any(sql.type(Grant)`
    select id as asset_id, ${getColumns(OfAsset)}, visibility in ('unlisted', 'public') as live,
      '{}'::text[] as allowed_countries, '{}'::text[] as blocked_countries,
      null::float8 as window_start, null::float8 as window_end, ${embedOrigins('assets')}
    from video.assets where id = any(${sql.array(assetIds, 'uuid')}) and status in ('processing', 'ready') and ${isOpen('assets')}`)
}

/**
 * Data that the live origin needs to serve a request: the channel, and whether the session is valid. Without a session,
 * the ID is the channel's.
 */
export const LiveGrant = z.object({
  session_id: Id,
  channel_id: Id,
  ...channels.Row.pick({ org_id: true, name: true, dvr_seconds: true }).shape,
  live: z.boolean(),
  ...OfSession.shape,
  ...Embedding,
})

export type LiveGrant = z.infer<typeof LiveGrant>

/** Returns the grants of many live sessions in one statement. A session of a deleted channel has no row. */
export async function findLiveGrants(db: Db, ids: string[]): Promise<readonly LiveGrant[]> {
  return await db.any(sql.type(LiveGrant)`
    select s.id as session_id, c.id as channel_id, c.org_id, c.name, c.dvr_seconds,
      s.revoked_at is null and s.expires_at > now() as live, ${getColumns(OfSession, 's')}, ${embedOrigins('c')}
    from video.playback_sessions as s join live.channels as c on c.id = s.channel_id
    where s.id = any(${sql.array(ids, 'uuid')}) and c.deleted_at is null and ${isOpen('c')}`)
}

export async function findOpenLiveGrants(db: Db, channelIds: string[]): Promise<readonly LiveGrant[]> {
  return await db.any(sql.type(LiveGrant)`
    select id as session_id, id as channel_id, org_id, name, dvr_seconds, visibility <> 'signed' as live,
      '{}'::text[] as allowed_countries, '{}'::text[] as blocked_countries, ${embedOrigins('channels')}
    from live.channels where id = any(${sql.array(channelIds, 'uuid')}) and deleted_at is null and ${isOpen('channels')}`)
}
