import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { counters, type ErrorCount, PlaybackTotals } from './quality.ts'

/** Spans of the plots: how far they go back, and the step between points in seconds, in whole hours. */
export const spans = {
  '24h': { back: '24 hours', step: 3_600 },
  '7d': { back: '7 days', step: 3_600 },
  '30d': { back: '30 days', step: 21_600 },
} as const

export type Span = keyof typeof spans

/** Selects one asset, or all assets of all organisations. */
export interface QualityQuery {
  span: Span
  assetId?: string | undefined
}

const Point = PlaybackTotals.extend({ at: z.date() })

export type Point = z.infer<typeof Point>

const eachCounter = (expression: (name: (typeof counters)[number]) => ReturnType<typeof sql.fragment>) =>
  sql.join(counters.map(expression), sql.fragment`, `)

/** Steps are counted from the year 2000, so that spans with the same step share their points. */
const bin = (step: number, at: ReturnType<typeof sql.fragment>) =>
  sql.fragment`date_bin(make_interval(secs => ${step}), ${at}, timestamptz '2000-01-01T00:00:00Z')`

const begin = ({ back, step }: (typeof spans)[Span]) =>
  sql.fragment`${bin(step, sql.fragment`now()`)} - ${back}::interval + make_interval(secs => ${step})`

const ofAsset = (assetId: string | undefined) =>
  assetId === undefined ? sql.fragment`true` : sql.fragment`asset_id = ${assetId}`

/** Returns one point per step, oldest first. A step without views has only zeros. */
export async function history(db: Db, { span, assetId }: QualityQuery): Promise<readonly Point[]> {
  const { step } = spans[span]
  const start = begin(spans[span])
  return await db.any(sql.type(Point)`
    with found as (
      select ${bin(step, sql.fragment`at`)} as tick, * from video.quality_hours
      where at >= ${start} and ${ofAsset(assetId)}),
    sums as (
      select tick, ${eachCounter((name) => sql.fragment`sum(${name})::float8 as ${name}`)} from found group by tick),
    buckets as (
      select tick, bucket, sum(count) as count
      from found cross join unnest(startup) with ordinality as s (count, bucket) group by tick, bucket),
    startups as (select tick, array_agg(count::integer order by bucket) as startup from buckets group by tick)
    select ticks.at, coalesce(startup, '{}') as startup, ${eachCounter((name) => sql.fragment`coalesce(${name}, 0) as ${name}`)}
    from generate_series(${start}, ${bin(step, sql.fragment`now()`)}, make_interval(secs => ${step})) as ticks (at)
    left join sums on sums.tick = ticks.at left join startups on startups.tick = ticks.at
    order by ticks.at`)
}

const AssetQuality = z.object({
  asset_id: Id,
  title: z.string().nullable(),
  views: z.number(),
  failed_views: z.number(),
  play_ms: z.number(),
  rebuffer_ms: z.number(),
})

export type AssetQuality = z.infer<typeof AssetQuality>

export async function mostWatched(db: Db, span: Span, limit: number): Promise<readonly AssetQuality[]> {
  return await db.any(sql.type(AssetQuality)`
    select q.asset_id, coalesce(a.title, a.filename) as title, sum(q.views)::integer as views,
      sum(q.failed_views)::integer as failed_views, sum(q.play_ms)::float8 as play_ms,
      sum(q.rebuffer_ms)::float8 as rebuffer_ms
    from video.quality_hours as q join video.assets as a on a.id = q.asset_id
    where q.at >= ${begin(spans[span])} group by q.asset_id, a.title, a.filename
    order by views desc, q.asset_id limit ${limit}`)
}

export async function errors(db: Db, { span, assetId }: QualityQuery, limit: number): Promise<readonly ErrorCount[]> {
  return await db.any(sql.type(z.object({ code: z.string(), fatal: z.boolean(), count: z.number() }))`
    select code, fatal, sum(count)::float8 as count from video.quality_errors
    where at >= ${begin(spans[span])} and ${ofAsset(assetId)}
    group by code, fatal order by 3 desc, code, fatal limit ${limit}`)
}
