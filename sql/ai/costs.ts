import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'costs',
  z.object({
    org_id: Id,
    day: z.string(),
    /** Empty for work without a key. */
    key_id: z.string(),
    model: z.string(),
    operation: z.string(),
    /** Empty if the model had no price. */
    currency: z.string(),
    requests: z.number(),
    cached: z.number(),
    prompt_tokens: z.number(),
    cached_tokens: z.number(),
    completion_tokens: z.number(),
    cost: z.number().nullable(),
  }),
  { retention: calendarDays(400, 'day') },
)

export type Cost = Omit<z.infer<typeof table.Row>, 'day' | 'requests' | 'cached' | 'key_id' | 'currency'> & {
  key_id: string | null
  currency: string | null
  cached?: number
}

const today = sql.fragment`(now() at time zone 'utc')::date`
const month = sql.fragment`date_trunc('month', now() at time zone 'utc')::date`

/** Adds the cost of one request. `cached` is 1 for a response from the cache. */
export async function add(tx: Db, { cached = 0, ...cost }: Cost): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into ai.costs as c (org_id, day, key_id, model, operation, currency, requests, cached, prompt_tokens,
      cached_tokens, completion_tokens, cost)
    values (${cost.org_id}, ${today}, ${cost.key_id ?? ''}, ${cost.model}, ${cost.operation}, ${cost.currency ?? ''}, 1, ${cached},
      ${cost.prompt_tokens}, ${cost.cached_tokens}, ${cost.completion_tokens}, ${cost.cost})
    on conflict (org_id, day, key_id, model, operation, currency) do update set requests = c.requests + 1,
      cached = c.cached + excluded.cached, prompt_tokens = c.prompt_tokens + excluded.prompt_tokens,
      cached_tokens = c.cached_tokens + excluded.cached_tokens,
      completion_tokens = c.completion_tokens + excluded.completion_tokens, cost = c.cost + excluded.cost`)
}

/** Groups of costs. `none` returns one sum for each currency. */
export const groups = ['none', 'model', 'key', 'day', 'operation'] as const

export type Group = (typeof groups)[number]

const columns: Readonly<Record<Group, FragmentSqlToken>> = {
  none: sql.fragment`null::text`,
  model: sql.fragment`model`,
  key: sql.fragment`nullif(key_id, '')`,
  day: sql.fragment`day::text`,
  operation: sql.fragment`operation`,
}

const Sum = z.object({
  name: z.string().nullable(),
  currency: z.string().nullable(),
  requests: z.number(),
  cached: z.number(),
  prompt_tokens: z.number(),
  cached_tokens: z.number(),
  completion_tokens: z.number(),
  cost: z.number().nullable(),
})

export type CostSum = z.infer<typeof Sum>

export interface CostsWanted {
  by: Group
  /** First and last day in UTC. Default: this month. */
  from?: string | undefined
  to?: string | undefined
  keyId?: string | undefined
  limit: number
}

const sums = sql.fragment`sum(requests)::bigint as requests, sum(cached)::bigint as cached,
  sum(prompt_tokens)::bigint as prompt_tokens, sum(cached_tokens)::bigint as cached_tokens,
  sum(completion_tokens)::bigint as completion_tokens, sum(cost)::bigint as cost`

/** Returns the sums of an organisation by group and currency, highest cost first. Days are in order. */
export async function sum(db: Db, orgId: string, { by, from, to, keyId, limit }: CostsWanted) {
  const order = by === 'day' ? sql.fragment`1` : sql.fragment`sum(cost) desc nulls last, 1`
  return await db.any(sql.type(Sum)`
    select ${columns[by]} as name, nullif(currency, '') as currency, ${sums} from ai.costs
    where org_id = ${orgId} and day >= coalesce(${from ?? null}::date, ${month})
      and day <= coalesce(${to ?? null}::date, ${today})
      and (${keyId ?? null}::text is null or key_id = ${keyId ?? null}::text)
    group by 1, 2 order by ${order}, 2 limit ${limit}`)
}

/** Returns the sums of all organisations by model in the last `days` days, for operators. */
export async function sumByModel(db: Db, days: number, limit: number): Promise<readonly CostSum[]> {
  return await db.any(sql.type(Sum)`
    select model as name, nullif(currency, '') as currency, ${sums} from ai.costs where day >= ${today} - ${days - 1}::int
    group by 1, 2 order by sum(cost) desc nulls last, 1, 2 limit ${limit}`)
}
