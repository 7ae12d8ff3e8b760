import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Dimension = z.enum(['all', 'country', 'device', 'browser', 'page', 'error'])

export type Dimension = z.infer<typeof Dimension>

export const Counters = z.object({
  plays: z.number(),
  /** Viewers who had not watched on this day before. */
  viewers: z.number(),
  failed_plays: z.number(),
  errors: z.number(),
  play_ms: z.number(),
  /** Plays that reported the tenths of the video that they played. */
  measured: z.number(),
})

export type Counters = z.infer<typeof Counters>

const Row = Counters.extend({
  day: z.string(),
  dimension: Dimension,
  value: z.string(),
  tenths: z.array(z.number()),
})

/** Days are dates in UTC. */
export const table = defineTable('video', 'audience_days', Row.extend({ asset_id: Id, org_id: Id }), {
  retention: calendarDays(400, 'day'),
})

export const orgTable = defineTable('video', 'audience_org_days', Row.extend({ org_id: Id }), {
  retention: calendarDays(400, 'day'),
})

/** Viewers by day, as hashes that only the secret of the day can reproduce. */
export const viewerTable = defineTable(
  'video',
  'audience_viewers',
  z.object({ org_id: Id, day: z.string(), scope_id: Id, network: z.string(), viewer: z.string() }),
  { retention: calendarDays(1, 'day') },
)

export type Viewer = Omit<z.infer<typeof viewerTable.Row>, 'day'>

/** Counters to add to the current day. `org_id` is the organisation of the asset. */
export type Addition = Omit<z.infer<typeof table.Row>, 'day'>

export type OrgAddition = Omit<Addition, 'asset_id'>

/** Maximum number of viewers of one network per day and scope. It is enough for a large office. */
const mostOfNetwork = 100

const today = sql.fragment`(now() at time zone 'UTC')::date`

/**
 * Stores viewers and returns those who were not stored yet. Rows are written in the order of their keys, so that
 * transactions cannot deadlock.
 */
export async function storeViewers(tx: Db, day: string, viewers: readonly Viewer[]): Promise<readonly Viewer[]> {
  return await tx.any(sql.prepared('audience.viewers', viewerTable.Row.omit({ day: true }))`
    insert into video.audience_viewers as k (org_id, day, scope_id, network, viewer)
    select n.org_id, ${day}::date, n.scope_id, n.network, n.viewer
    from (select distinct * from json_to_recordset(${JSON.stringify(viewers)}::json)
      as n (org_id uuid, scope_id uuid, network text, viewer text)) as n
    where (select count(*) from video.audience_viewers as o where o.org_id = n.org_id and o.day = ${day}::date
      and o.scope_id = n.scope_id and o.network = n.network) < ${mostOfNetwork}
    order by n.org_id, n.scope_id, n.network, n.viewer
    on conflict do nothing
    returning k.org_id, k.scope_id, k.network, k.viewer`)
}

const columns = sql.fragment`dimension, value, plays, viewers, failed_plays, errors, play_ms, measured, tenths`

const added = sql.fragment`plays = q.plays + excluded.plays, viewers = q.viewers + excluded.viewers,
  failed_plays = q.failed_plays + excluded.failed_plays, errors = q.errors + excluded.errors,
  play_ms = q.play_ms + excluded.play_ms, measured = q.measured + excluded.measured,
  tenths = array(select a + b from unnest(q.tenths, excluded.tenths) with ordinality as s (a, b, n) order by n)`

/** Adds to the current day. Up to one addition per key, in a fixed order. */
export async function add(
  tx: Db,
  { assets, orgs }: { assets: readonly Addition[]; orgs: readonly OrgAddition[] },
): Promise<void> {
  await tx.query(sql.prepared('audience.add', z.object({}))`
    insert into video.audience_days as q (asset_id, org_id, day, ${columns})
    select asset_id, org_id, ${today}, ${columns}
    from json_populate_recordset(null::video.audience_days, ${JSON.stringify(assets)}::json)
    order by asset_id, dimension, value
    on conflict (asset_id, dimension, day, value) do update set ${added}`)
  await tx.query(sql.prepared('audience.add_org', z.object({}))`
    insert into video.audience_org_days as q (org_id, day, ${columns})
    select org_id, ${today}, ${columns}
    from json_populate_recordset(null::video.audience_org_days, ${JSON.stringify(orgs)}::json)
    order by org_id, dimension, value
    on conflict (org_id, dimension, day, value) do update set ${added}`)
}

/** Maximum number of pages per day that are counted by name: of a video, and of an organisation. */
export const mostPages = { asset: 200, org: 1_000 } as const

const Page = z.object({ id: Id, page: z.string() })

/** A page, and the asset or organisation that it belongs to. */
export type Page = z.infer<typeof Page>

/** Returns the pages that are counted by name: known pages, and new ones up to the limit. */
export async function listNamedPages(
  tx: Db,
  pages: Record<'asset' | 'org', readonly Page[]>,
): Promise<readonly Page[]> {
  return await tx.any(sql.prepared('audience.pages', Page)`
    select n.id, n.page from json_to_recordset(${JSON.stringify(pages.asset)}::json) as n (id uuid, page text)
    where exists (select from video.audience_days as k
        where k.asset_id = n.id and k.dimension = 'page' and k.day = ${today} and k.value = n.page)
      or (select count(*) from video.audience_days as k
        where k.asset_id = n.id and k.dimension = 'page' and k.day = ${today}) < ${mostPages.asset}
    union all
    select n.id, n.page from json_to_recordset(${JSON.stringify(pages.org)}::json) as n (id uuid, page text)
    where exists (select from video.audience_org_days as k
        where k.org_id = n.id and k.dimension = 'page' and k.day = ${today} and k.value = n.page)
      or (select count(*) from video.audience_org_days as k
        where k.org_id = n.id and k.dimension = 'page' and k.day = ${today}) < ${mostPages.org}`)
}

const Owner = z.object({ asset_id: Id, org_id: Id })

export async function listOwners(tx: Db, assetIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.any(sql.prepared('audience.owners', Owner)`
    select id as asset_id, org_id from video.assets where id = any(${sql.array([...assetIds], 'uuid')})`)
  return new Map(rows.map(({ asset_id, org_id }) => [asset_id, org_id]))
}
