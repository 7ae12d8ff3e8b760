import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import type { Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'

/** A `short` is taller than it is wide and up to three minutes long. */
export const Kind = z.enum(['video', 'short'])

/** Assets in the directory. A trigger on the assets updates `listed` and the other facts. */
export const table = defineTable(
  'directory',
  'videos',
  z.object({
    id: Id,
    org_id: Id,
    listed: z.boolean(),
    published_at: z.date().nullable(),
    asset_title: z.string().nullable(),
    duration_seconds: z.number().nullable(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    poster: z.boolean(),
    captions: z.array(z.string()),
    channel_id: Id.nullable(),
    title: z.string().nullable(),
    description: z.string(),
    tags: z.array(z.string()),
    language: z.string().nullable(),
    kind: Kind,
    was_live: z.boolean(),
    views: z.number(),
  }),
)

const OfChannel = { channel_handle: z.string().nullable(), channel_name: z.string().nullable() }

export const Video = table.Row.omit({ org_id: true, listed: true, asset_title: true }).extend({
  ...OfChannel,
  published_at: z.date(),
})

export type Video = z.infer<typeof Video>

const Columns = table.Row.omit({ org_id: true, listed: true, asset_title: true, title: true })
const shownTitle = sql.fragment`coalesce(v.title, v.asset_title) as title`
const ofChannel = sql.fragment`c.handle as channel_handle, c.name as channel_name`
export const columns = sql.fragment`${getColumns(Columns, 'v')}, ${shownTitle}, ${ofChannel}`
export const from = sql.fragment`directory.videos as v left join directory.channels as c on c.id = v.channel_id`

export async function find(db: Db, id: string): Promise<Video | null> {
  return await db.maybeOne(
    sql.type(Video)`select ${columns} from ${from} where v.id = ${id} and v.listed and ${isOpen('v')}`,
  )
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Video[]> {
  return await db.any(sql.type(Video)`
    select ${columns} from ${from} where v.id = any(${sql.array([...ids], 'uuid')}) and v.listed and ${isOpen('v')}`)
}

export const filters = { language: table.equals('language', 'v') }

export const filtersOfChannel = { ...filters, kind: table.equals('kind', 'v') }

/** Selects videos of one kind, channel or organisation. */
export interface VideoSelection {
  kind?: z.infer<typeof Kind> | undefined
  channelId?: string | undefined
  orgId?: string | undefined
}

/** Position of a video in a list: time in milliseconds and ID. */
export interface Place {
  at: string
  id: string
}

export async function list(
  db: Db,
  { kind, channelId, orgId }: VideoSelection,
  { where, before, limit }: Page<typeof filters, Place>,
): Promise<readonly Video[]> {
  const conditions = [
    sql.fragment`v.listed`,
    isOpen('v'),
    where,
    ...(kind ? [sql.fragment`v.kind = ${kind}`] : []),
    ...(channelId ? [sql.fragment`v.channel_id = ${channelId}`] : []),
    ...(orgId ? [sql.fragment`v.org_id = ${orgId}`] : []),
    ...(before ? [sql.fragment`(v.published_at, v.id) < (${before.at}, ${before.id})`] : []),
  ]
  return await db.any(sql.type(Video)`
    select ${columns} from ${from} where ${sql.join(conditions, sql.fragment` and `)}
    order by v.published_at desc, v.id desc limit ${limit}`)
}

export interface Details {
  title?: string | null | undefined
  description?: string | undefined
  tags?: string[] | undefined
  language?: string | null | undefined
}

export const VideoDescription = table.Row.pick({ id: true, title: true, description: true, tags: true, language: true })
  .extend(OfChannel)
  .extend({ listed: z.boolean() })

export type VideoDescription = z.infer<typeof VideoDescription>

const described = sql.fragment`v.id, v.listed, v.description, v.tags, v.language, ${shownTitle}, ${ofChannel}`

/**
 * Creates the row of an organisation’s asset if the row is missing. Returns false if the asset does not exist. Locks
 * the asset until the transaction ends, so that the row matches the asset.
 */
async function ensure(tx: Db, orgId: string, id: string): Promise<boolean> {
  const Row = z.object({ id: Id })
  const asset = await tx.maybeOne(sql.type(Row)`
    select id from video.assets where id = ${id} and org_id = ${orgId} and status <> 'deleted' for share`)
  if (!asset) return false
  await tx.query(sql.typeAlias('void')`
    insert into directory.videos
      (id, org_id, listed, asset_title, duration_seconds, width, height, poster, captions)
    select id, org_id, false, title, duration_seconds, width, height, poster, captions
    from video.assets where id = ${id} on conflict (id) do nothing`)
  return true
}

const readDescribed = (tx: Db, id: string): Promise<VideoDescription> =>
  tx.one(sql.type(VideoDescription)`select ${described} from ${from} where v.id = ${id}`)

/** Updates the description of an organisation’s video. Returns `null` if the asset does not exist. */
export async function describe(tx: Db, orgId: string, id: string, details: Details): Promise<VideoDescription | null> {
  if (!(await ensure(tx, orgId, id))) return null
  const { tags, ...texts } = details
  if (Object.values(details).some((value) => value !== undefined)) {
    const set = table.set({ ...texts, tags: tags && sql.array(tags, 'text') })
    await tx.query(sql.typeAlias('void')`update directory.videos set ${set} where id = ${id}`)
  }
  return await readDescribed(tx, id)
}

/** Moves an organisation’s video into its channel. Returns `null` if the asset does not exist. */
export async function assign(tx: Db, orgId: string, id: string, channelId: string): Promise<VideoDescription | null> {
  if (!(await ensure(tx, orgId, id))) return null
  await tx.query(sql.typeAlias('void')`update directory.videos set channel_id = ${channelId} where id = ${id}`)
  return await readDescribed(tx, id)
}

/** Removes a video from a channel. Returns false if the channel does not contain the video. */
export async function unassign(tx: Db, id: string, channelId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update directory.videos set channel_id = null where id = ${id} and channel_id = ${channelId}`)
  return rowCount === 1
}

/** Returns listed videos after a position, oldest publication first. */
export async function listPublished(db: Db, since: Place, limit: number): Promise<readonly Video[]> {
  return await db.any(sql.type(Video)`
    select ${columns} from ${from} where v.listed and (v.published_at, v.id) >= (${since.at}, ${since.id})
    order by v.published_at, v.id limit ${limit}`)
}

const PageStart = z.object({ at: z.date(), id: Id })

/** Returns the first video of every `size` listed videos, oldest publication first. */
export async function listPageStarts(db: Db, size: number): Promise<readonly z.infer<typeof PageStart>[]> {
  return await db.any(sql.type(PageStart)`
    select at, id from (
      select published_at as at, id, row_number() over (order by published_at, id) as number
      from directory.videos where listed
    ) as v where number % ${size} = 1 order by at, id`)
}
