import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

export const groups = ['day', 'channel', 'country', 'prefix'] as const

export type Group = (typeof groups)[number]

/** Rows are counted by triggers of `verify.verifications`. */
export const table = defineTable(
  'verify',
  'conversion_days',
  z.object({
    org_id: Id,
    dimension: z.enum(['channel', 'country', 'prefix']),
    day: z.string(),
    /** Empty for emails in the dimensions of phone numbers. */
    value: z.string(),
    /** Each database connection uses one slot, so that verifications do not wait for each other. */
    slot: z.number(),
    /** Numbers can be negative. Only the sums of all slots are counts. */
    starts: z.number(),
    approved: z.number(),
    undeliverable: z.number(),
    blocked: z.number(),
  }),
  { retention: calendarDays(32, 'day') },
)

/** How a group is read from the rows of days, and from verifications. Every verification has one channel. */
const sources = {
  day: {
    dimension: 'channel',
    ofDays: sql.fragment`day::text`,
    ofRows: sql.fragment`(created_at at time zone 'UTC')::date::text`,
  },
  channel: { dimension: 'channel', ofDays: sql.fragment`value`, ofRows: sql.fragment`channel` },
  country: { dimension: 'country', ofDays: sql.fragment`value`, ofRows: sql.fragment`coalesce(country, '')` },
  prefix: { dimension: 'prefix', ofDays: sql.fragment`value`, ofRows: sql.fragment`coalesce(prefix, '')` },
}

const Conversion = z.object({
  group: z.string(),
  starts: z.number(),
  approved: z.number(),
  undeliverable: z.number(),
  blocked: z.number(),
})

export type Conversion = z.infer<typeof Conversion>

const mostGroups = 100

const dayMs = 86_400_000

/**
 * Counts the verifications since a time by group: days in order, other groups by their starts. Verifications of the
 * first day are read from their rows, because the time is within this day.
 */
export async function count(db: Db, orgId: string, by: Group, since: Date): Promise<readonly Conversion[]> {
  const { dimension, ofDays, ofRows } = sources[by]
  const order = by === 'day' ? sql.fragment`1` : sql.fragment`2 desc, 1`
  const nextDay = new Date(Math.ceil(since.getTime() / dayMs) * dayMs).toISOString()
  return await db.any(sql.type(Conversion)`
    select "group", sum(starts)::bigint as starts, sum(approved)::bigint as approved,
      sum(undeliverable)::bigint as undeliverable, sum(blocked)::bigint as blocked
    from (
      select ${ofDays} as "group", starts, approved, undeliverable, blocked from verify.conversion_days
      where org_id = ${orgId} and dimension = ${dimension} and day >= ${nextDay.slice(0, 10)}::date
      union all
      select ${ofRows}, 1, (status = 'approved')::integer, (status <> 'approved' and delivery = 'failed')::integer,
        (delivery = 'blocked')::integer
      from verify.verifications
      where org_id = ${orgId} and not sandbox and created_at >= ${since.toISOString()} and created_at < ${nextDay}
    ) as counted
    group by 1 having sum(starts) > 0 order by ${order} limit ${mostGroups}`)
}
