import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

const today = sql.fragment`(now() at time zone 'utc')::date`
const month = sql.fragment`date_trunc('month', now() at time zone 'utc')::date`
const since = (days: number) => sql.fragment`${today} - ${days - 1}::int`
const sum = (column: 'requests' | 'prompt_tokens' | 'completion_tokens') =>
  sql.fragment`coalesce(sum(u.${sql.identifier([column])}), 0)::float8`
const failed = sql.fragment`coalesce(sum(u.requests) filter (where u.outcome <> 'done'), 0)::float8`

const Day = z.object({
  day: z.string(),
  requests: z.number(),
  failed: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
})

export type Day = z.infer<typeof Day>

export async function series(db: Db, days: number): Promise<readonly Day[]> {
  return await db.any(sql.type(Day)`
    select g.day::date::text as day, ${sum('requests')} as requests, ${failed} as failed,
      ${sum('prompt_tokens')} as prompt_tokens, ${sum('completion_tokens')} as completion_tokens
    from generate_series((${since(days)})::timestamp, ${today}::timestamp, interval '1 day') as g (day)
    left join ai.usage as u on u.day = g.day::date
    group by g.day order by g.day`)
}

const OrgRow = z.object({
  id: Id,
  name: z.string(),
  plan: z.string(),
  requests: z.number(),
  failed: z.number(),
  tokens: z.number(),
  budget: z.number(),
})

export type OrgRow = z.infer<typeof OrgRow>

export async function listTopOrgs(db: Db, limit: number): Promise<readonly OrgRow[]> {
  return await db.any(sql.type(OrgRow)`
    select o.id, o.name, o.plan, p.monthly_tokens as budget, ${sum('requests')} as requests, ${failed} as failed,
      ${sum('prompt_tokens')} + ${sum('completion_tokens')} as tokens
    from ai.usage as u join account.orgs as o on o.id = u.org_id join account.plans as p on p.name = o.plan
    where u.day >= ${month}
    group by o.id, p.monthly_tokens order by tokens desc, o.id limit ${limit}`)
}

const ResultRow = z.object({ operation: z.string(), outcome: z.string(), requests: z.number(), tokens: z.number() })

export type EndRow = z.infer<typeof ResultRow>

export async function listResults(db: Db, days: number): Promise<readonly EndRow[]> {
  return await db.any(sql.type(ResultRow)`
    select u.operation, u.outcome, ${sum('requests')} as requests,
      ${sum('prompt_tokens')} + ${sum('completion_tokens')} as tokens
    from ai.usage as u where u.day >= ${since(days)}
    group by u.operation, u.outcome order by u.operation, u.outcome <> 'done', u.outcome`)
}
