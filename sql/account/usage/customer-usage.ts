import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import * as orgs from '../orgs.ts'
import { getMetric, type MetricName } from './metrics.ts'

const OrganisationUsage = orgs.Org.pick({ id: true, name: true, plan: true }).extend({
  amount: z.number(),
  /** The lower of the plan limit and the organisation’s monthly limit. `null` if neither exists. */
  limit: z.number().nullable(),
})

export type Used = z.infer<typeof OrganisationUsage>

export const UsageOrder = z.enum(['amount', 'share'])

/** Returns organisations with usage of a metric in this month (UTC), by amount or by share of the limit. */
export async function listMonthlyUsage(
  db: Db,
  metric: MetricName,
  { order, limit }: { order: z.infer<typeof UsageOrder>; limit: number },
): Promise<readonly Used[]> {
  const { plan } = getMetric(metric)
  const planned = plan ? sql.fragment`p.${sql.identifier([plan])}` : sql.fragment`null::float8`
  return await db.any(sql.type(OrganisationUsage)`
    select id, name, plan, amount, "limit" from (
      select o.id, o.name, o.plan, u.amount, least(${planned}, b.hard)::float8 as "limit"
      from (${amounts(metric)}) as u
      join account.orgs as o on o.id = u.org_id
      join account.plans as p on p.name = o.plan
      left join account.budgets as b on b.org_id = o.id and b.metric = ${metric} and b.period = 'month'
      where u.amount > 0) as used
    order by ${order === 'share' ? sql.fragment`amount / nullif("limit", 0) desc nulls last,` : sql.fragment``}
      amount desc, id limit ${limit}`)
}

export async function sumMonthlyUsage(db: Db, metric: MetricName): Promise<{ amount: number; orgs: number }> {
  return await db.one(sql.type(z.object({ amount: z.number(), orgs: z.number() }))`
    select coalesce(sum(amount), 0)::float8 as amount, count(*) as orgs from (${amounts(metric)}) as u where amount > 0`)
}

/** Returns the usage of each organisation. For peaks: today’s maximum. For storage: the current amount. */
function amounts(metric: MetricName) {
  if (metric === 'storage.bytes') return sql.fragment`select org_id, bytes::float8 as amount from account.storage`
  const today = sql.fragment`(now() at time zone 'utc')::date`
  const first = getMetric(metric).counted === 'peak' ? today : sql.fragment`date_trunc('month', ${today})::date`
  return sql.fragment`
    select org_id, sum(amount)::float8 as amount from account.usage_daily
    where metric = ${metric} and dimension = '' and day >= ${first} group by org_id`
}
