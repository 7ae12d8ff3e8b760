import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { PlaybackCounters } from './views.ts'

export const PlaybackTotals = PlaybackCounters.extend({
  views: z.number(),
  failed_views: z.number(),
  starts: z.number(),
  /** Histogram of playback starts by start-up time. */
  startup: z.array(z.number()),
})

export type PlaybackTotals = z.infer<typeof PlaybackTotals>

const Hour = PlaybackTotals.extend({ at: z.date() })

export const table = defineTable('video', 'quality_hours', Hour.extend({ asset_id: Id }), {
  retention: days(400, 'at'),
})

export const errors = defineTable(
  'video',
  'quality_errors',
  z.object({ asset_id: Id, at: z.date(), code: z.string(), fatal: z.boolean(), count: z.number() }),
  { retention: days(400, 'at') },
)

/** All counter columns. To combine two rows, each counter is added. */
export const counters = Object.keys(PlaybackTotals.omit({ startup: true }).shape).map((name) => sql.identifier([name]))

export interface ErrorCount {
  code: string
  fatal: boolean
  count: number
}

export interface Addition extends PlaybackTotals {
  asset_id: string
  errors: readonly ErrorCount[]
}

const added = counters.map((name) => sql.fragment`${name} = q.${name} + excluded.${name}`)

/**
 * Adds to the current hour of each asset. One addition per asset in a fixed order, so that transactions do not
 * deadlock.
 */
export async function add(tx: Db, additions: readonly Addition[]): Promise<void> {
  await tx.query(sql.prepared('quality.add', z.object({}))`
    insert into ${table.name} as q (asset_id, at, ${getColumns(PlaybackTotals)})
    select asset_id, date_trunc('hour', now(), 'UTC'), ${getColumns(PlaybackTotals)}
    from json_populate_recordset(null::${table.name}, ${JSON.stringify(additions)}::json)
    order by asset_id
    on conflict (asset_id, at) do update set ${sql.join(added, sql.fragment`, `)},
      startup = array(select a + b from unnest(q.startup, excluded.startup) with ordinality as s (a, b, n) order by n)`)
  const errors = additions.flatMap(({ asset_id, errors }) => errors.map((error) => ({ asset_id, ...error })))
  if (errors.length > 0) await addErrors(tx, errors)
}

async function addErrors(tx: Db, errors: readonly (ErrorCount & { asset_id: string })[]): Promise<void> {
  await tx.query(sql.prepared('quality.add_errors', z.object({}))`
    insert into video.quality_errors as e (asset_id, at, code, fatal, count)
    select asset_id, date_trunc('hour', now(), 'UTC'), code, fatal, count
    from json_to_recordset(${JSON.stringify(errors)}::json) as n (asset_id uuid, code text, fatal boolean, count bigint)
    order by asset_id, code, fatal
    on conflict (asset_id, at, code, fatal) do update set count = e.count + excluded.count`)
}

export type Hour = z.infer<typeof Hour>

/** Returns the hours that start in [from, to), oldest first, without hours that have no views. */
export async function list(db: Db, assetId: string, from: Date, to: Date): Promise<readonly Hour[]> {
  return await db.any(sql.type(Hour)`
    select ${getColumns(Hour)} from video.quality_hours
    where asset_id = ${assetId} and at >= ${from.toISOString()} and at < ${to.toISOString()} order by at`)
}

export async function listErrors(db: Db, assetId: string, from: Date, to: Date): Promise<readonly ErrorCount[]> {
  return await db.any(sql.type(z.object({ code: z.string(), fatal: z.boolean(), count: z.number() }))`
    select code, fatal, sum(count)::bigint as count from video.quality_errors
    where asset_id = ${assetId} and at >= ${from.toISOString()} and at < ${to.toISOString()}
    group by code, fatal order by 3 desc, code, fatal`)
}
