import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'
import { Period } from './budgets.ts'
import { getMetric, metricNames } from './metrics.ts'

export const table = defineTable(
  'account',
  'budget_alerts',
  z.object({
    org_id: Id,
    metric: z.string(),
    period: Period,
    starts_on: z.string(),
    percent: z.number(),
    used: z.number(),
    limit: z.number(),
    created_at: z.date(),
  }),
  { retention: days(400, 'created_at') },
)

const today = sql.fragment`(now() at time zone 'utc')::date`
const monthStart = sql.fragment`date_trunc('month', ${today})::date`

export const Alert = table.Row.omit({ created_at: true })

export type Alert = z.infer<typeof Alert>

export const usualPercents: readonly number[] = [80, 100]

const planned = metricNames.flatMap((name) => {
  const { plan, counted } = getMetric(name)
  return plan ? [{ name, plan, peak: counted === 'peak' }] : []
})

const planLimits = sql.join(
  planned.map(
    ({ name, plan, peak }) => sql.fragment`
      select o.id, ${name}::text, ${peak ? 'day' : 'month'}::text, p.${sql.identifier([plan])}::bigint
      from account.orgs as o join account.plans as p on p.name = o.plan
      where not exists (select from account.budgets as b where b.org_id = o.id and b.metric = ${name})`,
  ),
  sql.fragment` union all `,
)

const List = sql.array([...usualPercents], 'int4')

/**
 * Returns thresholds that are reached but not yet reported in their period. Percentages refer to the soft limit, or to
 * the hard limit, or to the plan if no budget exists.
 */
export async function listReached(db: Db): Promise<readonly Alert[]> {
  return await db.any(sql.type(Alert)`
    with limits (org_id, metric, period, "limit", alert_at) as (
      select org_id, metric, period, coalesce(soft, hard), alert_at from account.budgets
      union all select l.*, ${List} from (${planLimits}) as l
    ), starting as (
      select *, case period when 'day' then ${today} else ${monthStart} end as starts_on from limits
      where "limit" > 0 and org_id not in (select org_id from account.platform where org_id is not null)
    ), used as (
      select s.*, coalesce(sum(u.amount), 0)::bigint as used from starting as s
      join account.usage_daily as u
        on u.org_id = s.org_id and u.metric = s.metric and u.dimension = '' and u.day >= s.starts_on
      group by s.org_id, s.metric, s.period, s."limit", s.alert_at, s.starts_on
    )
    select u.org_id, u.metric, u.period, u.starts_on::text as starts_on, percent, u.used, u."limit"
    from used as u, unnest(u.alert_at) as percent
    where u.used::numeric * 100 >= u."limit"::numeric * percent and not exists (
      select from account.budget_alerts as a
      where a.org_id = u.org_id and a.metric = u.metric and a.period = u.period and a.starts_on = u.starts_on
        and a.percent = percent.percent)
    order by 1, 2, 5 limit 100000`)
}

export async function record(tx: Db, alerts: readonly Alert[]): Promise<readonly Alert[]> {
  if (alerts.length === 0) return []
  return await tx.any(sql.type(Alert)`
    ${table.insertMany(alerts)} on conflict do nothing
    returning org_id, metric, period, starts_on::text as starts_on, percent, used, "limit"`)
}

export async function find(db: Db, key: Omit<Alert, 'used' | 'limit'>): Promise<Alert | null> {
  return await db.maybeOne(sql.type(Alert)`
    select org_id, metric, period, starts_on::text as starts_on, percent, used, "limit" from account.budget_alerts
    where org_id = ${key.org_id} and metric = ${key.metric} and period = ${key.period}
      and starts_on = ${key.starts_on}::date and percent = ${key.percent}`)
}
