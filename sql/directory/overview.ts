import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const Totals = z.object({ channels: z.number(), videos: z.number(), shorts: z.number(), live: z.number() })

export async function countTotals(db: Db): Promise<z.infer<typeof Totals>> {
  return await db.one(sql.type(Totals)`
    select (select count(*) from directory.channels) as channels,
      (select count(*) from directory.videos where listed and kind = 'video') as videos,
      (select count(*) from directory.videos where listed and kind = 'short') as shorts,
      (select count(*) from directory.live_streams where listed and status = 'live') as live`)
}

const PublishedItem = z.object({
  id: Id,
  title: z.string().nullable(),
  kind: z.string(),
  org: z.string(),
  channel: z.string().nullable(),
  published_at: z.date(),
})

export type PublishedItem = z.infer<typeof PublishedItem>

export async function listPublished(db: Db, limit: number): Promise<readonly PublishedItem[]> {
  return await db.any(sql.type(PublishedItem)`
    select v.id, coalesce(v.title, v.asset_title) as title, v.kind, o.name as org, c.handle as channel, v.published_at
    from directory.videos as v join account.orgs as o on o.id = v.org_id
      left join directory.channels as c on c.id = v.channel_id
    where v.listed order by v.published_at desc, v.id desc limit ${limit}`)
}

const ChannelRow = z.object({
  handle: z.string(),
  name: z.string(),
  org: z.string(),
  videos: z.number(),
  created_at: z.date(),
})

export type ChannelRow = z.infer<typeof ChannelRow>

export async function listNewestChannels(db: Db, limit: number): Promise<readonly ChannelRow[]> {
  return await db.any(sql.type(ChannelRow)`
    select c.handle, c.name, o.name as org, c.created_at,
      (select count(*) from directory.videos as v where v.channel_id = c.id and v.listed) as videos
    from directory.channels as c join account.orgs as o on o.id = c.org_id order by c.id desc limit ${limit}`)
}
