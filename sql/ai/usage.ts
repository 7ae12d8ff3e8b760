import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as daily from '../account/usage.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'usage',
  z.object({
    org_id: Id,
    day: z.string(),
    operation: z.string(),
    outcome: z.string(),
    requests: z.number(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
  }),
  { retention: calendarDays(400, 'day') },
)

const today = sql.fragment`(now() at time zone 'utc')::date`
const month = sql.fragment`date_trunc('month', now() at time zone 'utc')::date`

export interface RequestCost {
  operation: string
  /** `done`, the code of the problem, or `broken_off`. */
  outcome: string
  prompt_tokens: number
  completion_tokens: number
}

export async function add(
  db: Db,
  orgId: string,
  { operation, outcome, prompt_tokens, completion_tokens }: RequestCost,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into ai.usage as u (org_id, day, operation, outcome, requests, prompt_tokens, completion_tokens)
    values (${orgId}, ${today}, ${operation}, ${outcome}, 1, ${prompt_tokens}, ${completion_tokens})
    on conflict (org_id, day, operation, outcome) do update set requests = u.requests + 1,
      prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = u.completion_tokens + excluded.completion_tokens`)
  await daily.add(db, 'ai.tokens', [{ org_id: orgId, amount: prompt_tokens + completion_tokens }])
}

const MonthUsage = z.object({ month: z.string(), tokens: z.number(), budget: z.number(), resets_at: z.date() })

export async function find(db: Db, orgId: string): Promise<z.infer<typeof MonthUsage>> {
  return await db.one(sql.type(MonthUsage)`
    select to_char(${month}, 'YYYY-MM') as month, p.monthly_tokens as budget,
      (select coalesce(sum(prompt_tokens + completion_tokens), 0)::float8 from ai.usage
       where org_id = o.id and day >= ${month}) as tokens,
      (${month} + interval '1 month') at time zone 'utc' as resets_at
    from account.orgs as o join account.plans as p on p.name = o.plan
    where o.id = ${orgId}`)
}

const ByOperation = table.Row.pick({
  operation: true,
  requests: true,
  prompt_tokens: true,
  completion_tokens: true,
}).extend({
  failed: z.number(),
})

const counts = sql.fragment`sum(requests)::float8 as requests,
  coalesce(sum(requests) filter (where outcome <> 'done'), 0)::float8 as failed`
const tokens = sql.fragment`sum(prompt_tokens)::float8 as prompt_tokens, sum(completion_tokens)::float8 as completion_tokens`

export async function byOperation(db: Db, orgId: string): Promise<readonly z.infer<typeof ByOperation>[]> {
  return await db.any(sql.type(ByOperation)`
    select operation, ${counts}, ${tokens} from ai.usage
    where org_id = ${orgId} and day >= ${month} group by operation order by operation`)
}
