import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/** What is known of when an asset in processing will be ready. */
export const Outlook = z.object({
  /** Whether any of its jobs has begun. */
  started: z.boolean(),
  /** Other assets with a waiting job before this one's first. */
  ahead: z.number(),
  /** Megapixels that must be encoded before it is ready: its own, and those of assets that began before it. */
  units: z.number(),
  /** Whether chunks of its own are among the measured ones. */
  own: z.boolean(),
  /** Megapixels per second of one media slot, over the last 50 chunks; null without history. */
  rate: z.number().nullable(),
  /** Media jobs that the living workers run at once. */
  slots: z.number(),
})

/** The parsed row. */
export type Outlook = z.infer<typeof Outlook>

/** Reads the queue and the measured throughput for one asset. */
export async function find(db: Db, assetId: string): Promise<Outlook> {
  return await db.one(sql.type(Outlook)`
    with waiting as (
      select r.subject, r.pool, q.priority, q.run_at, q.id
      from jobs.runs as r join lateral (
        select id, priority, run_at, locked_at from jobs_media.jobs where r.pool = 'media'
        union all
        select id, priority, run_at, locked_at from jobs_media_intake.jobs where r.pool = 'media-intake'
      ) as q on q.id = r.job_id
      where r.state = 'waiting' and q.locked_at is null and r.pool in ('media', 'media-intake')),
    mine as (
      select pool, priority, run_at, id from waiting where subject = ${assetId} order by pool desc, priority, run_at, id limit 1),
    measured as (
      select asset_id, units, wall_seconds from video.parts
      where kind = 'chunk' and done_at is not null and wall_seconds > 0 order by done_at desc limit 50)
    select
      exists (select from jobs.runs where subject = ${assetId} and attempt > 0) as started,
      (select count(distinct w.subject)::integer from waiting as w, mine
        where w.pool = mine.pool and (w.priority, w.run_at, w.id) < (mine.priority, mine.run_at, mine.id) and w.subject <> ${assetId}) as ahead,
      (select coalesce(sum(p.units), 0)::float8 from video.parts as p join video.assets as a on a.id = p.asset_id
        where p.done_at is null and a.status = 'processing'
          and a.processing_at <= (select processing_at from video.assets where id = ${assetId})) as units,
      exists (select from measured where asset_id = ${assetId}) as own,
      (select sum(units) / sum(wall_seconds) from measured)::float8 as rate,
      (select coalesce(sum(concurrency), 0)::integer from jobs.workers where pool = 'media' and state = 'alive') as slots`)
}
