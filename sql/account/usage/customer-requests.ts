import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'

const Classes = { 2: z.number(), 3: z.number(), 4: z.number(), 5: z.number() } as const

const Operation = z.object({ operation: z.string(), ...Classes, ms: z.number() })

/** Number of requests by status class. `ms` is the average duration in milliseconds. */
export type Operation = z.infer<typeof Operation>

const hourMs = 3_600_000

function counted(since: Date, orgId?: string) {
  const own = orgId ? sql.fragment`and org_id = ${orgId}` : sql.fragment``
  const columns = sql.fragment`org_id, operation, class, count, ms`
  const from = sql.fragment`${since.toISOString()}::timestamptz`
  const first = sql.fragment`${new Date(Math.ceil(since.getTime() / hourMs) * hourMs).toISOString()}::timestamptz`
  // The last hour may have been aggregated before it ended.
  const last = sql.fragment`(select coalesce(max(at), '-infinity') from account.request_hours)`
  return sql.fragment`(
    select ${columns} from account.request_hours where at >= ${first} and at < ${last} ${own}
    union all
    select ${columns} from account.request_minutes where at >= ${from} and (at < ${first} or at >= ${last}) ${own}) as c`
}

const byClass = sql.fragment`
  coalesce(sum(count) filter (where class < 3), 0)::float8 as "2",
  coalesce(sum(count) filter (where class = 3), 0)::float8 as "3",
  coalesce(sum(count) filter (where class = 4), 0)::float8 as "4",
  coalesce(sum(count) filter (where class = 5), 0)::float8 as "5"`

export async function byOperation(
  db: Db,
  { since, orgId, limit }: { since: Date; orgId?: string; limit: number },
): Promise<readonly Operation[]> {
  return await db.any(sql.type(Operation)`
    select operation, ${byClass}, (sum(ms) / greatest(sum(count), 1))::float8 as ms from ${counted(since, orgId)}
    group by operation order by sum(count) desc, operation limit ${limit}`)
}

const Failing = z.object({ id: Id, name: z.string(), ...Classes })

export async function mostErrors(
  db: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly z.infer<typeof Failing>[]> {
  return await db.any(sql.type(Failing)`
    select o.id, o.name, "2", "3", "4", "5" from (
      select org_id, ${byClass} from ${counted(since)} group by org_id having bool_or(class > 3)
      order by sum(count) filter (where class = 5) desc nulls last, sum(count) filter (where class = 4) desc nulls last
      limit ${limit}) as c
    join account.orgs as o on o.id = c.org_id
    order by "5" desc, "4" desc, o.id`)
}
