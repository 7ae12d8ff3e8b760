import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Counters, type Dimension } from './audience.ts'

/** Selects the days from `from` to `to`, both included, of one asset or of the organisation. */
export interface AudienceQuery {
  orgId: string
  assetId?: string | undefined
  from: string
  to: string
}

/** One property of viewers and its value, such as `country` and `DE`. */
export interface Slice {
  dimension: Dimension
  value: string
}

export const everyone: Slice = { dimension: 'all', value: '' }

const Day = Counters.extend({ day: z.string(), tenths: z.array(z.number()) })

export type Day = z.infer<typeof Day>

const counters = sql.fragment`plays, viewers, failed_plays, errors, play_ms, measured`

const sums = sql.fragment`sum(plays)::float8 as plays, sum(viewers)::float8 as viewers,
  sum(failed_plays)::float8 as failed_plays, sum(errors)::float8 as errors, sum(play_ms)::float8 as play_ms,
  sum(measured)::float8 as measured`

const source = ({ orgId, assetId }: AudienceQuery) =>
  assetId === undefined
    ? sql.fragment`video.audience_org_days where org_id = ${orgId}`
    : sql.fragment`video.audience_days where asset_id = ${assetId} and org_id = ${orgId}`

const during = ({ from, to }: AudienceQuery) => sql.fragment`day between ${from}::date and ${to}::date`

/** Returns the days with data, oldest first. */
export async function listDays(db: Db, query: AudienceQuery, { dimension, value }: Slice): Promise<readonly Day[]> {
  return await db.any(sql.type(Day)`
    select day::text, ${counters}, tenths from ${source(query)}
      and dimension = ${dimension} and value = ${value} and ${during(query)} order by day`)
}

const Share = Counters.extend({ dimension: z.string(), value: z.string() })

export type Share = z.infer<typeof Share>

/** Returns the values of each dimension with the most plays or errors, up to `limit` of each dimension. */
export async function listShares(db: Db, query: AudienceQuery, limit: number): Promise<readonly Share[]> {
  return await db.any(sql.type(Share)`
    select * from (
      select *, row_number() over (partition by dimension order by plays desc, errors desc, value) as place
      from (select dimension, value, ${sums} from ${source(query)}
        and dimension in ('country', 'device', 'browser', 'page', 'error') and ${during(query)}
        group by dimension, value) as summed) as ranked
    where place <= ${limit} order by dimension, place`)
}

const AssetShare = Counters.omit({ measured: true }).extend({ asset_id: Id, title: z.string().nullable() })

export type AssetShare = z.infer<typeof AssetShare>

/** Returns the assets of an organisation with the most plays. */
export async function listAssets(db: Db, query: AudienceQuery, limit: number): Promise<readonly AssetShare[]> {
  return await db.any(sql.type(AssetShare)`
    select s.*, coalesce(a.title, a.filename) as title from (
      select asset_id, sum(plays)::float8 as plays, sum(viewers)::float8 as viewers,
        sum(failed_plays)::float8 as failed_plays, sum(errors)::float8 as errors, sum(play_ms)::float8 as play_ms
      from video.audience_days where org_id = ${query.orgId} and dimension = 'all' and ${during(query)}
      group by asset_id order by plays desc, asset_id limit ${limit}) as s
    join video.assets as a on a.id = s.asset_id order by s.plays desc, s.asset_id`)
}

const ExportRow = Counters.extend({
  day: z.string(),
  dimension: z.string(),
  value: z.string(),
  tenths: z.array(z.number()),
})

export type ExportRow = z.infer<typeof ExportRow>

/** The row after which a batch of an export starts. */
export type ExportPlace = Pick<ExportRow, 'day' | 'value'>

/** Returns up to `limit` rows of a dimension in the order of day and value. The primary key has this order. */
export async function listRows(
  db: Db,
  query: AudienceQuery,
  dimension: Dimension,
  after: ExportPlace | undefined,
  limit: number,
): Promise<readonly ExportRow[]> {
  const next = after ? sql.fragment`(day, value) > (${after.day}::date, ${after.value})` : sql.fragment`true`
  return await db.any(sql.type(ExportRow)`
    select day::text, dimension, value, ${counters}, tenths
    from ${source(query)} and dimension = ${dimension} and ${during(query)} and ${next}
    order by day, value limit ${limit}`)
}
