import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Video, columns as videoColumns, from as videosFrom } from './videos.ts'

/** `public`: listed. `unlisted`: available to anyone with the URL. */
export const Visibility = z.enum(['public', 'unlisted'])

/** Playlists: videos in the order that the owner chose. */
export const table = defineTable(
  'directory',
  'playlists',
  z.object({
    id: Id,
    org_id: Id,
    title: z.string(),
    description: z.string(),
    visibility: Visibility,
    videos: z.array(Id),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const mostVideos = 500

export const Playlist = table.Row.omit({ videos: true }).extend({ listed: z.number(), length: z.number() })

export type Playlist = z.infer<typeof Playlist>

const own = getColumns(table.Row.omit({ videos: true }), 'p')
const counted = sql.fragment`${own}, cardinality(p.videos) as length,
  (select count(*) from directory.videos as v where v.id = any(p.videos) and v.listed) as listed`

export async function insert(
  db: Db,
  {
    videos,
    ...playlist
  }: Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'title' | 'description' | 'visibility' | 'videos'>,
): Promise<Playlist> {
  return await db.one(sql.type(Playlist)`
    with p as (${table.insert({ ...playlist, videos: sql.array(videos, 'uuid') })} returning *) select ${counted} from p`)
}

export async function find(db: Db, id: string): Promise<Playlist | null> {
  return await db.maybeOne(
    sql.type(Playlist)`select ${counted} from directory.playlists as p where p.id = ${id} and ${isOpen('p')}`,
  )
}

/** Lists public playlists, newest first. With an organisation, lists all of its playlists. */
export async function list(db: Db, orgId: string | undefined, { before, limit }: Part): Promise<readonly Playlist[]> {
  return await db.any(sql.type(Playlist)`
    select ${counted} from directory.playlists as p
    where ${orgId ? sql.fragment`p.org_id = ${orgId}` : sql.fragment`p.visibility = 'public' and ${isOpen('p')}`}
      ${before ? sql.fragment`and p.id < ${before}` : sql.fragment``}
    order by p.id desc limit ${limit}`)
}

const OfPublic = table.Row.pick({ id: true })

export async function listPublicIds(db: Db, { before, limit }: Part): Promise<readonly z.infer<typeof OfPublic>[]> {
  return await db.any(sql.type(OfPublic)`
    select id from directory.playlists as p
    where visibility = 'public' and ${isOpen('p')} ${before ? sql.fragment`and id < ${before}` : sql.fragment``} order by id desc limit ${limit}`)
}

export type Changes = {
  [Field in 'title' | 'description' | 'visibility' | 'videos']?: z.infer<typeof table.Row>[Field] | undefined
}

/** Updates a playlist. Returns `null` if the organisation does not have it. */
export async function update(
  db: Db,
  orgId: string,
  id: string,
  { videos, ...changes }: Changes,
): Promise<Playlist | null> {
  const now = sql.fragment`date_trunc('milliseconds', now())`
  const set = table.set({ ...changes, videos: videos && sql.array(videos, 'uuid'), updated_at: now })
  return await db.maybeOne(sql.type(Playlist)`
    with p as (update directory.playlists set ${set} where id = ${id} and org_id = ${orgId} returning *)
    select ${counted} from p`)
}

/** Deletes a playlist. Returns false if the organisation does not have it. */
export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from directory.playlists where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}

/** Returns the videos of an organisation’s playlist in order, locked until the transaction ends. */
export async function lockVideos(tx: Db, orgId: string, id: string): Promise<readonly string[] | null> {
  const row = await tx.maybeOne(sql.type(table.Row.pick({ videos: true }))`
    select videos from directory.playlists where id = ${id} and org_id = ${orgId} for update`)
  return row?.videos ?? null
}

/** Returns the videos that an organisation can add to a playlist: its own videos, and listed videos. */
export async function filterUsable(db: Db, orgId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const list = sql.array([...ids], 'uuid')
  const found = await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select id from video.assets where id = any(${list}) and org_id = ${orgId} and status <> 'deleted'
    union select id from directory.videos where id = any(${list}) and listed`)
  return new Set(found)
}

export const Entry = Video.extend({ position: z.number() })

export type Entry = z.infer<typeof Entry>

const inOrder = sql.fragment`directory.playlists as p
  cross join unnest(p.videos) with ordinality as e (video_id, position)`

export async function listEntries(db: Db, id: string, { before, limit }: Part<number>): Promise<readonly Entry[]> {
  return await db.any(sql.type(Entry)`
    select ${videoColumns}, e.position from ${inOrder} join ${videosFrom} on v.id = e.video_id
    where p.id = ${id} and v.listed and e.position > ${before ?? 0} order by e.position limit ${limit}`)
}

const Around = z.object({ id: Id, title: z.string().nullable(), is_next: z.boolean() })

export async function findNeighbours(db: Db, id: string, videoId: string): Promise<readonly z.infer<typeof Around>[]> {
  const place = sql.fragment`array_position(p.videos, ${videoId}::uuid)`
  const nearest = (isNext: FragmentSqlToken, where: FragmentSqlToken, order: FragmentSqlToken) => sql.fragment`(
    select v.id, coalesce(v.title, v.asset_title) as title, ${isNext} as is_next
    from ${inOrder} join directory.videos as v on v.id = e.video_id
    where p.id = ${id} and v.listed and ${where} order by ${order} limit 1)`
  const previous = nearest(sql.fragment`false`, sql.fragment`e.position < ${place}`, sql.fragment`e.position desc`)
  const next = nearest(sql.fragment`true`, sql.fragment`e.position > ${place}`, sql.fragment`e.position`)
  return await db.any(sql.type(Around)`${previous} union all ${next}`)
}

const Content = z.object({ id: Id, title: z.string().nullable(), listed: z.boolean() })

/**
 * Returns a playlist for its owner: all videos in order. If another organisation no longer lists a video, only its ID
 * is returned.
 */
export async function listContents(db: Db, orgId: string, id: string): Promise<readonly z.infer<typeof Content>[]> {
  return await db.any(sql.type(Content)`
    select e.video_id as id, coalesce(v.listed, false) as listed,
      case when v.listed or a.id is not null then coalesce(v.title, v.asset_title, a.title) end as title
    from ${inOrder} left join directory.videos as v on v.id = e.video_id
      left join video.assets as a on a.id = e.video_id and a.org_id = p.org_id
    where p.id = ${id} and p.org_id = ${orgId} order by e.position`)
}

export async function findOwn(db: Db, orgId: string, id: string): Promise<Playlist | null> {
  const found = await find(db, id)
  return found?.org_id === orgId ? found : null
}
