import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'account',
  'limits',
  z.object({ bucket: z.string(), quota: z.number(), used: z.number(), granted: z.number(), ends_at: z.date() }),
  { retention: hours(0, 'ends_at') },
)

export interface LeaseRequest {
  bucket: string
  quota: number
  windowMs: number
  tokens: number
}

const Lease = z.object({
  bucket: z.string(),
  granted: z.number(),
  remaining: z.number(),
  /** Time until the window ends, in milliseconds. */
  ms_left: z.number(),
})

export type Lease = z.infer<typeof Lease>

/**
 * Takes tokens from buckets in one atomic statement. A window starts with its first request. A window never grants more
 * than `quota`. A chunk is at most a quarter of the remaining tokens (minimum: 1), so that processes with a shared
 * bucket do not starve each other.
 */
export async function lease(db: Db, wants: readonly LeaseRequest[]): Promise<readonly Lease[]> {
  const rows = wants.map((w) => [w.bucket, w.quota, w.tokens, w.windowMs])
  return await db.any(sql.prepared('account.lease_limits', Lease)`
    insert into account.limits as l (bucket, quota, used, granted, ends_at)
    select bucket, quota, chunk, chunk, clock_timestamp() + make_interval(secs => window_ms / 1000.0)
    from ${sql.unnest(rows, ['text', 'int4', 'int4', 'int4'])} as w (bucket, quota, tokens, window_ms),
      lateral (select least(w.tokens, greatest(1, w.quota / 4)) as chunk) as c
    order by bucket
    on conflict (bucket) do update set
      quota = excluded.quota,
      granted = case when l.ends_at <= clock_timestamp() then excluded.granted
        else least(excluded.granted, greatest(excluded.quota - l.used, 0), greatest(1, (excluded.quota - l.used) / 4)) end,
      used = case when l.ends_at <= clock_timestamp() then excluded.granted
        else l.used
          + least(excluded.granted, greatest(excluded.quota - l.used, 0), greatest(1, (excluded.quota - l.used) / 4)) end,
      ends_at = case when l.ends_at <= clock_timestamp() then excluded.ends_at else l.ends_at end
    returning bucket, granted, greatest(quota - used, 0) as remaining,
      greatest(extract(epoch from ends_at - clock_timestamp()) * 1000, 0)::float8 as ms_left`)
}
