import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const minutes = 5

const Requests = z.object({ area: z.string(), failed: z.number(), total: z.number() })

/**
 * Returns the requests of the last five minutes by area. A request failed if its status is 5xx. Statuses and codes
 * that report a missing setting, or a slow or unavailable server of another provider, do not count.
 */
export async function requests(db: Db, now: Date): Promise<readonly z.infer<typeof Requests>[]> {
  const since = new Date(now.getTime() - minutes * 60_000)
  return await db.any(sql.type(Requests)`
    with counted as (
      select split_part(operation, '.', 1) as area, sum(count)::integer as total
      from account.request_minutes where at >= ${since.toISOString()}::timestamptz group by 1),
    failures as (
      select split_part(operation, '.', 1) as area, count(*)::integer as failed
      from account.requests where id >= ${firstIdAt(since)} and status >= 500 and status not in (502, 504)
        and code is distinct from 'not_configured'
      group by 1)
    select area, coalesce(failed, 0) as failed, greatest(coalesce(total, 0), coalesce(failed, 0)) as total
    from counted full join failures using (area)`)
}

const Waiting = z.object({
  pool: z.string(),
  task: z.string(),
  waiting: z.number(),
  oldest_s: z.number(),
  attempts: z.number(),
  /** Seconds since the pool was paused. */
  paused_s: z.number().nullable(),
})

export type Waiting = z.infer<typeof Waiting>

/** Returns the tasks with waiting jobs of the last sample, which is at most three minutes old. */
export async function waiting(db: Db): Promise<readonly Waiting[]> {
  return await db.any(sql.type(Waiting)`
    with sampled as (
      select * from jobs.depths
      where at = (select max(at) from jobs.depths where at > now() - interval '3 minutes') and task <> ''),
    ended as (
      select pool, task, sum(done + retried + failed + rejected + returned)::integer as attempts
      from jobs.minutes where at >= now() - interval '10 minutes' group by 1, 2)
    select s.pool, s.task, s.waiting + s.held as waiting, s.oldest_s, coalesce(e.attempts, 0) as attempts,
      extract(epoch from now() - p.paused_at)::integer as paused_s
    from sampled as s
    left join ended as e using (pool, task)
    left join lateral (
      select min(paused_at) as paused_at from jobs.pauses as q where q.pool = s.pool and q.task in ('', s.task)) as p on true
    where s.waiting + s.held > 0`)
}
