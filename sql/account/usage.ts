import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'
import { type MetricName, metricNames } from './usage/metrics.ts'

/** Usage per day in UTC. The dimension '' is the total. */
export const table = defineTable(
  'account',
  'usage_daily',
  z.object({ org_id: Id, day: z.string(), metric: z.string(), dimension: z.string(), amount: z.number() }),
  { retention: calendarDays(800, 'day') },
)

/** Adds usage, even above a budget. Default day: today. A negative amount corrects the usage. */
export async function add(
  tx: Db,
  metric: MetricName,
  used: readonly { org_id: string; amount: number; at?: Date }[],
): Promise<void> {
  const rows = used.filter(({ amount }) => amount !== 0)
  if (rows.length === 0) return
  await tx.query(sql.typeAlias('void')`
    insert into account.usage_daily as u (org_id, day, metric, amount)
    select org_id, coalesce(at at time zone 'utc', now() at time zone 'utc')::date, ${metric}, sum(amount)::bigint
    from ${sql.unnest(
      rows.map(({ org_id, amount, at }) => [org_id, amount, at?.toISOString() ?? null]),
      ['uuid', 'int8', 'timestamptz'],
    )} as w (org_id, amount, at)
    group by 1, 2 order by 1, 2
    on conflict (org_id, metric, dimension, day) do update set amount = greatest(0, u.amount + excluded.amount)`)
}

const Sum = z.object({ metric: z.string(), month: z.number(), day: z.number() })

/** Returns the usage of each metric in this month and today. For peaks, the maximum of the day. */
export async function listStanding(db: Db, orgId: string): Promise<readonly z.infer<typeof Sum>[]> {
  return await db.any(sql.type(Sum)`
    select metric, sum(amount)::float8 as month,
      coalesce(sum(amount) filter (where day = (now() at time zone 'utc')::date), 0)::float8 as day
    from account.usage_daily
    where org_id = ${orgId} and metric = any(${sql.array([...metricNames], 'text')}) and dimension = ''
      and day >= date_trunc('month', now() at time zone 'utc')::date
    group by metric`)
}

const Day = z.object({ day: z.string(), name: z.string(), amount: z.number() })

export interface DaysWanted {
  metric: MetricName
  /** The first and the last day, for example 2026-05-31. */
  from: string
  to: string
  /** Dimension, for example `key`. Without it, only the total is returned. */
  by?: string | undefined
}

export async function daily(
  db: Db,
  orgId: string,
  { metric, from, to, by }: DaysWanted,
): Promise<readonly z.infer<typeof Day>[]> {
  return await db.any(sql.type(Day)`
    select day::text as day, ${partName(by)} as name, amount from account.usage_daily
    where org_id = ${orgId} and metric = ${metric} and day between ${from}::date and ${to}::date and ${isPart(by)}
    order by day, amount desc, dimension limit 10000`)
}

const Total = z.object({ metric: z.string(), amounts: z.array(z.number()) })

/** Returns the amounts of the last days of each metric with usage in these days, oldest day first. */
export async function listTotals(db: Db, orgId: string, days: number): Promise<readonly z.infer<typeof Total>[]> {
  return await db.any(sql.type(Total)`
    select u.metric, array_agg(coalesce(d.amount, 0)::float8 order by g.day) as amounts
    from (select distinct metric from account.usage_daily
        where org_id = ${orgId} and metric = any(${sql.array([...metricNames], 'text')}) and dimension = ''
          and day > (now() at time zone 'utc')::date - ${days}::integer) as u
    cross join generate_series((now() at time zone 'utc')::date - ${days - 1}::integer,
      (now() at time zone 'utc')::date, interval '1 day') as g (day)
    left join account.usage_daily as d on d.org_id = ${orgId} and d.metric = u.metric and d.dimension = ''
      and d.day = g.day::date
    group by u.metric order by u.metric`)
}

const Part = z.object({ name: z.string(), amount: z.number() })

export async function parts(
  db: Db,
  orgId: string,
  { metric, from, to, by = 'key' }: DaysWanted,
): Promise<readonly z.infer<typeof Part>[]> {
  return await db.any(sql.type(Part)`
    select ${partName(by)} as name, sum(amount)::float8 as amount from account.usage_daily
    where org_id = ${orgId} and metric = ${metric} and day between ${from}::date and ${to}::date and ${isPart(by)}
    group by dimension order by amount desc, dimension limit 200`)
}

const partName = (by = '') => sql.fragment`substr(dimension, ${by === '' ? 1 : by.length + 2}::integer)`

const isPart = (by: string | undefined) =>
  by ? sql.fragment`starts_with(dimension, ${`${by}:`})` : sql.fragment`dimension = ''`
