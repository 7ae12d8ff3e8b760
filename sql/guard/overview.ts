import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const SiteRow = z.object({
  id: Id,
  name: z.string(),
  org: z.string(),
  origins: z.array(z.string()),
  issued: z.number(),
  solved: z.number(),
  failed: z.number(),
  abandoned: z.number(),
  verified: z.number(),
  replayed: z.number(),
  timed: z.number(),
})

export type SiteRow = z.infer<typeof SiteRow>

/** Lists sites of all organisations since a time, to the hour, most challenges first. `siteId` selects one. */
export async function listSites(
  db: Db,
  since: Date,
  { limit, siteId }: { limit: number; siteId?: string },
): Promise<readonly SiteRow[]> {
  const hour = new Date(Math.floor(since.getTime() / 3_600_000) * 3_600_000)
  const [from, of] = [hour.toISOString(), siteId ? sql.fragment`and site_id = ${siteId}` : sql.fragment``]
  return await db.any(sql.type(SiteRow)`
    with live as (
      select site_id, count(*) as issued, count(*) filter (where outcome = 'solved') as solved,
        count(*) filter (where outcome = 'failed') as failed,
        count(*) filter (where outcome is null and expires_at < now()) as abandoned,
        0::bigint as verified, 0::bigint as replayed, 0::bigint as timed
      from guard.challenges where id >= ${firstIdAt(hour)} ${of} group by site_id
      union all
      select site_id, 0, 0, 0, 0, count(used_at), sum(replays), count(*) filter (where tier = 'noscript')
      from guard.tokens where issued_at >= ${from} ${of} group by site_id
      union all
      select site_id, sum(count) filter (where outcome = 'issued'), sum(count) filter (where outcome = 'solved'),
        sum(count) filter (where outcome = 'failed'),
        sum(case outcome when 'issued' then count when 'solved' then -count when 'failed' then -count end),
        sum(count) filter (where outcome = 'verified'), sum(count) filter (where outcome = 'replayed'),
        sum(count) filter (where outcome = 'verified' and tier = 'noscript')
      from guard.hourly where hour >= ${from} ${of} group by site_id
    ), summed as (
      select site_id, coalesce(sum(issued), 0) as issued, coalesce(sum(solved), 0) as solved, coalesce(sum(failed), 0) as failed,
        coalesce(sum(abandoned), 0) as abandoned, coalesce(sum(verified), 0) as verified,
        coalesce(sum(replayed), 0) as replayed, coalesce(sum(timed), 0) as timed
      from live group by site_id
    )
    select s.id, s.name, o.name as org, s.origins, coalesce(c.issued, 0) as issued, coalesce(c.solved, 0) as solved,
      coalesce(c.failed, 0) as failed, coalesce(c.abandoned, 0) as abandoned, coalesce(c.verified, 0) as verified,
      coalesce(c.replayed, 0) as replayed, coalesce(c.timed, 0) as timed
    from guard.sites as s join account.orgs as o on o.id = s.org_id left join summed as c on c.site_id = s.id
    where ${siteId ?? null}::uuid is null or s.id = ${siteId ?? null}
    order by coalesce(c.issued, 0) desc, s.id desc limit ${limit}`)
}

const Stock = z.object({ puzzles: z.number(), oldest: z.date().nullable() })

export async function getStock(db: Db): Promise<z.infer<typeof Stock>> {
  return await db.one(sql.type(Stock)`select count(*) as puzzles, min(minted_at) as oldest from guard.stock`)
}

const ReasonCount = z.object({ code: z.string(), count: z.number(), weight: z.number() })

export async function listReasons(
  db: Db,
  siteId: string,
  limit: number,
): Promise<readonly z.infer<typeof ReasonCount>[]> {
  return await db.any(sql.type(ReasonCount)`
    select r.code, count(*) as count, avg(r.weight)::float8 as weight
    from guard.assessments as a, jsonb_to_recordset(a.reasons) as r (code text, weight integer)
    where a.site_id = ${siteId} and a.created_at > now() - interval '1 day'
    group by r.code order by count desc, r.code limit ${limit}`)
}
