import { z } from 'zod'
import { firstIdAt } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const Hour = z.object({
  hour: z.date(),
  issued: z.number(),
  solved: z.number(),
  failed: z.number(),
  /** Number of tokens that a server has used, and of replays of tokens. */
  verified: z.number(),
  replayed: z.number(),
})

export type Hour = z.infer<typeof Hour>

/**
 * Returns a site’s hours since a given hour, in order. Hours without challenges are omitted. Deleted rows are included
 * through their counts.
 */
export async function listHours(db: Db, siteId: string, since: Date): Promise<readonly Hour[]> {
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

/**
 * Number of a site’s assessments with a reason in an hour. The code `denied` counts the assessments that were denied.
 */
export type HourReason = z.infer<typeof HourReason>

/** Returns the reasons of a site’s assessments since a time, up to one day back. */
export async function listReasons(db: Db, siteId: string, since: Date): Promise<readonly HourReason[]> {
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
