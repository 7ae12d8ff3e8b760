import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

const Outcome = z.enum(['issued', 'solved', 'failed', 'verified', 'replayed'])

/** Counts of deleted challenges and tokens, by the hour of their creation. */
export const table = defineTable(
  'guard',
  'hourly',
  z.object({
    site_id: Id,
    hour: z.date(),
    tier: z.string(),
    outcome: Outcome,
    bucket: z.number(),
    count: z.number(),
  }),
  { retention: days(90, 'hour') },
)

const Count = table.Row.omit({ site_id: true, hour: true })

/** Number of a site’s challenges or tokens with an outcome. `bucket` is ⌊log2(milliseconds)⌋ of the solving time. */
export type Count = z.infer<typeof Count>

/** Returns the results of a site’s challenges and tokens since a time, to the hour, including deleted ones. */
export async function listCounts(db: Db, siteId: string, since: Date): Promise<readonly Count[]> {
  const hour = new Date(Math.floor(since.getTime() / 3_600_000) * 3_600_000)
  return await db.any(sql.type(Count)`
    with live as (
      select tier, 'issued' as outcome, 0 as bucket, 1 as count from guard.challenges
      where site_id = ${siteId} and id >= ${firstIdAt(hour)}
      union all
      select tier, outcome, case when outcome = 'solved' then guard.bucket(attempted_at - issued_at) else 0 end, 1
      from guard.challenges where site_id = ${siteId} and id >= ${firstIdAt(hour)} and outcome is not null
      union all
      select tier, 'verified', 0, 1 from guard.tokens
      where site_id = ${siteId} and issued_at >= ${hour.toISOString()} and used_at is not null
      union all
      select tier, 'replayed', 0, replays from guard.tokens
      where site_id = ${siteId} and issued_at >= ${hour.toISOString()} and replays > 0
      union all
      select tier, outcome, bucket, count from guard.hourly where site_id = ${siteId} and hour >= ${hour.toISOString()}
    )
    select tier, outcome, bucket, sum(count) as count from live group by tier, outcome, bucket
    order by outcome, tier, bucket`)
}
