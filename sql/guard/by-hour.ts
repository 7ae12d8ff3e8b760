import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const Hour = z.object({
  hour: z.date(),
  issued: z.number(),
  solved: z.number(),
  /** Answered wrong. */
  failed: z.number(),
  /** Tokens that a server has spent, and those that it was shown again. */
  verified: z.number(),
  replayed: z.number(),
})

/** What became of a site's challenges and tokens of an hour. */
export type Hour = z.infer<typeof Hour>

/** A site's hours since one, in their order: of those in which anything was issued. What is forgotten already is counted, too. */
export async function hours(db: Db, siteId: string, since: Date): Promise<readonly Hour[]> {
  const from = since.toISOString()
  return await db.any(sql.type(Hour)`
    with live as (
      select date_trunc('hour', issued_at) as hour, count(*) as issued, count(*) filter (where outcome = 'solved') as solved,
        count(*) filter (where outcome = 'failed') as failed, 0::bigint as verified, 0::bigint as replayed
      from guard.challenges where site_id = ${siteId} and id >= ${firstIdAt(since)} group by 1
      union all
      select date_trunc('hour', issued_at), 0, 0, 0, count(used_at), sum(replays)
      from guard.tokens where site_id = ${siteId} and issued_at >= ${from} group by 1
      union all
      select hour, sum(count) filter (where outcome = 'issued'), sum(count) filter (where outcome = 'solved'),
        sum(count) filter (where outcome = 'failed'), sum(count) filter (where outcome = 'verified'),
        sum(count) filter (where outcome = 'replayed')
      from guard.hourly where site_id = ${siteId} and hour >= ${from} group by 1
    )
    select hour, coalesce(sum(issued), 0) as issued, coalesce(sum(solved), 0) as solved, coalesce(sum(failed), 0) as failed,
      coalesce(sum(verified), 0) as verified, coalesce(sum(replayed), 0) as replayed
    from live group by hour order by hour`)
}

const HourReason = z.object({ hour: z.date(), code: z.string(), count: z.number() })

/** How many judgements of a site weighed a reason in an hour; the code `denied` counts those that were refused. */
export type HourReason = z.infer<typeof HourReason>

/** What the judgements of a site weighed since an instant, a day back at most, as they are kept no longer. */
export async function reasons(db: Db, siteId: string, since: Date): Promise<readonly HourReason[]> {
  return await db.any(sql.type(HourReason)`
    with judged as (
      select date_trunc('hour', created_at) as hour, decision, reasons from guard.assessments
      where site_id = ${siteId} and created_at >= ${since.toISOString()})
    select hour, r.code, count(*) as count
    from judged, jsonb_to_recordset(judged.reasons) as r (code text) group by hour, r.code
    union all
    select hour, 'denied', count(*) from judged where decision = 'deny' group by hour
    order by hour, code`)
}
