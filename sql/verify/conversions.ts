import { z } from 'zod'
import { type Db, sql } from '../db.ts'

export const groups = ['day', 'channel', 'country', 'prefix'] as const

export type Group = (typeof groups)[number]

const expressions = {
  day: sql.fragment`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
  channel: sql.fragment`channel`,
  country: sql.fragment`coalesce(country, '')`,
  prefix: sql.fragment`coalesce(prefix, '')`,
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

/** Counts the verifications since a time by group: days in order, other groups by their starts. */
export async function count(db: Db, orgId: string, by: Group, since: Date): Promise<readonly Conversion[]> {
  const order = by === 'day' ? sql.fragment`1` : sql.fragment`2 desc, 1`
  return await db.any(sql.type(Conversion)`
    select ${expressions[by]} as "group", count(*) as starts, count(*) filter (where status = 'approved') as approved,
      count(*) filter (where status <> 'approved' and delivery = 'failed') as undeliverable,
      count(*) filter (where delivery = 'blocked') as blocked
    from verify.verifications where org_id = ${orgId} and not sandbox and created_at >= ${since.toISOString()}
    group by 1 order by ${order} limit ${mostGroups}`)
}
