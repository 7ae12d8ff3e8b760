import { z } from 'zod'
import { type Db, sql } from '../db.ts'

export const spans = {
  '1h': { back: '1 hour', step: '1 minute' },
  '24h': { back: '24 hours', step: '5 minutes' },
  '7d': { back: '7 days', step: '1 hour' },
} as const

export type Span = keyof typeof spans

/** State of a pool within one step. Null if nothing was measured, 0 if nothing happened. */
const Point = z.object({
  pool: z.string(),
  at: z.date(),
  done: z.number(),
  retried: z.number(),
  failed: z.number(),
  rejected: z.number(),
  returned: z.number(),
  wait_mean_ms: z.number().nullable(),
  wait_max_ms: z.number().nullable(),
  run_mean_ms: z.number().nullable(),
  run_max_ms: z.number().nullable(),
  waiting: z.number().nullable(),
  running: z.number().nullable(),
  dead: z.number().nullable(),
  oldest_s: z.number().nullable(),
})

export type Point = z.infer<typeof Point>

export interface HistoryQuery {
  span: Span
  pools: readonly string[]
  task?: string | undefined
}

/** Returns throughput, times and depths of each pool over a span. One point per step, oldest first. */
export async function plot(db: Db, { span, pools, task }: HistoryQuery): Promise<readonly Point[]> {
  const { back, step } = spans[span]
  const bin = (at: 'at' | 'now') =>
    sql.fragment`date_bin(${step}::interval, ${at === 'at' ? sql.fragment`at` : sql.fragment`now()`}, timestamptz '2000-01-01T00:00:00Z')`
  const start = sql.fragment`${bin('now')} - ${back}::interval + ${step}::interval`
  const wanted = sql.array([...pools], 'text')
  const only = task === undefined ? sql.fragment`true` : sql.fragment`task = ${task}`
  const onlyDepths = task === undefined ? sql.fragment`true` : sql.fragment`task in (${task}, '')`
  return await db.any(sql.type(Point)`
    with ticks as (
      select pool, at from unnest(${wanted}) as pool
      cross join generate_series(${start}, ${bin('now')}, ${step}::interval) as at),
    counted as (
      select pool, ${bin('at')} as at, sum(done) as done, sum(retried) as retried, sum(failed) as failed,
        sum(rejected) as rejected, sum(returned) as returned, sum(wait_ms) as wait_ms, max(wait_max_ms) as wait_max_ms,
        sum(run_ms) as run_ms, max(run_max_ms) as run_max_ms
      from (${source(span, 'minutes')}) as m where at >= ${start} and pool = any(${wanted}) and ${only} group by 1, 2),
    depths as (
      select pool, at, sum(waiting) as waiting, sum(running) as running, sum(failed) as dead, max(oldest_s) as oldest_s
      from (${source(span, 'depths')}) as d where at >= ${start} and pool = any(${wanted}) and ${onlyDepths} group by 1, 2),
    deepest as (
      select pool, ${bin('at')} as at, max(waiting) as waiting, max(running) as running, max(dead) as dead,
        max(oldest_s) as oldest_s
      from depths group by 1, 2),
    -- Put together by grouping: the planner knows nothing of these rows, and would join them in nested loops.
    all_of_it (pool, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms, waiting, running, dead,
      oldest_s) as (
      select pool, at, 0, 0, 0, 0, 0, null::numeric, null::bigint, null::numeric, null::bigint,
        null::bigint, null::bigint, null::bigint, null::integer from ticks
      union all select *, null, null, null, null from counted
      union all select pool, at, 0, 0, 0, 0, 0, null, null, null, null, waiting, running, dead, oldest_s from deepest)
    select pool, at, sum(done)::integer as done, sum(retried)::integer as retried, sum(failed)::integer as failed,
      sum(rejected)::integer as rejected, sum(returned)::integer as returned,
      (max(wait_ms) / nullif(sum(done + retried + failed + rejected + returned), 0))::float8 as wait_mean_ms,
      max(wait_max_ms) as wait_max_ms,
      (max(run_ms) / nullif(sum(done + retried + failed + rejected + returned), 0))::float8 as run_mean_ms,
      max(run_max_ms) as run_max_ms, max(waiting)::integer as waiting, max(running)::integer as running,
      max(dead)::integer as dead, max(oldest_s) as oldest_s
    from all_of_it group by pool, at order by pool, at`)
}

/** Selects the table by span. Short spans use minutes. Spans of days use hours, and minutes for the current hours. */
function source(span: Span, table: 'minutes' | 'depths') {
  const fine = sql.identifier(['jobs', table])
  if (span !== '7d') return sql.fragment`select * from ${fine}`
  const coarse = sql.identifier(['jobs', table === 'minutes' ? 'hours' : 'depth_hours'])
  const open = sql.fragment`date_trunc('hour', now(), 'UTC') - interval '1 hour'`
  return sql.fragment`select * from ${coarse} where at < ${open} union all select * from ${fine} where at >= ${open}`
}
