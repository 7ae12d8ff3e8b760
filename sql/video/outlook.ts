import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type Queue, runsInQueue } from '../jobs/graphile-schema.ts'

export const ProcessingForecast = z.object({
  started: z.boolean(),
  /** Number of other assets with a waiting job before this asset’s first job. */
  ahead: z.number(),
  /** Number of megapixels to encode before the asset is ready: its own, and those of assets that started earlier. */
  units: z.number(),
  /** True if the measured chunks include chunks of the asset itself. */
  own: z.boolean(),
  /** Speed of one media slot in megapixels per second, over the last 50 chunks. `null` without history. */
  rate: z.number().nullable(),
  /** Number of media jobs that all running workers can run at the same time. */
  slots: z.number(),
})

export type ProcessingForecast = z.infer<typeof ProcessingForecast>

const waiting = (queue: Queue) => sql.fragment`${runsInQueue(queue)} where q.locked_at is null and r.state = 'waiting'`

const queues: readonly Queue[] = [
  { pool: 'media-intake', schema: 'jobs_media_intake' },
  { pool: 'media', schema: 'jobs_media' },
]

/** Selects the asset’s own waiting jobs. They are found by its few runs. */
const own = (assetId: string) =>
  sql.join(
    queues.map(
      (queue) => sql.fragment`
        select r.pool, q.priority, q.run_at, q.id from ${waiting(queue)} and r.subject = ${assetId}`,
    ),
    sql.fragment` union all `,
  )

/**
 * Selects other jobs before the asset’s first job. Reads only the queue that has this job. No later job has started.
 */
const before = (assetId: string) =>
  sql.join(
    queues.map(
      (queue) => sql.fragment`
        select r.subject from ${waiting(queue)} and r.subject <> ${assetId} and (select pool from mine) = ${queue.pool}
          and (q.priority, q.run_at, q.id) < (select priority, run_at, id from mine)`,
    ),
    sql.fragment` union all `,
  )

export async function find(db: Db, assetId: string): Promise<ProcessingForecast> {
  return await db.one(sql.type(ProcessingForecast)`
    with begun as materialized (
      select exists (select from jobs.runs where subject = ${assetId} and attempt > 0) as started),
    mine as materialized (
      select own.* from (${own(assetId)}) as own, begun where not begun.started
      order by pool desc, priority, run_at, id limit 1),
    measured as (
      select asset_id, units, wall_seconds from video.parts
      where kind = 'chunk' and done_at is not null and wall_seconds > 0 order by done_at desc limit 50)
    select
      (select started from begun) as started,
      (select count(*)::integer from (select distinct subject from (${before(assetId)}) as before) as others) as ahead,
      (select coalesce(sum(p.units), 0)::float8 from video.parts as p join video.assets as a on a.id = p.asset_id
        where p.done_at is null and a.status = 'processing'
          and a.processing_at <= (select processing_at from video.assets where id = ${assetId})) as units,
      exists (select from measured where asset_id = ${assetId}) as own,
      (select sum(units) / sum(wall_seconds) from measured)::float8 as rate,
      (select coalesce(sum(concurrency), 0)::integer from jobs.workers where pool = 'media' and state = 'alive') as slots`)
}
