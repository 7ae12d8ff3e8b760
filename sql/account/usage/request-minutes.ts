import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { days } from '../../retention.ts'
import { defineTable } from '../../table.ts'

/** Upper bounds of the buckets in milliseconds. One more bucket counts all higher values. */
export const bounds = [10, 30, 100, 300, 1_000, 3_000, 10_000] as const

const Counted = z.object({
  org_id: Id,
  at: z.date(),
  key_id: Id,
  operation: z.string(),
  /** First digit of the status. */
  class: z.number(),
  count: z.number(),
  ms: z.number(),
  buckets: z.array(z.number()),
})

/** Number of requests with keys per minute. Each process has its own rows. */
export const table = defineTable('account', 'request_minutes', Counted.extend({ process: Id }), {
  retention: days(30, 'at'),
})

/** Number of requests with keys per hour, for all processes. */
export const hours = defineTable('account', 'request_hours', Counted, { retention: days(400, 'at') })

export type Minute = z.infer<typeof table.Row>

export async function write(db: DatabasePool, minutes: readonly Minute[]): Promise<void> {
  const rows = minutes.map((minute) => ({ ...minute, at: minute.at.toISOString() }))
  await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`set local synchronous_commit = off`)
    await tx.query(sql.typeAlias('void')`
      ${table.insertMany(rows)} on conflict (org_id, at, key_id, operation, class, process) do update
      set count = excluded.count, ms = excluded.ms, buckets = excluded.buckets`)
  }, 0)
}

const summed = sql.fragment`sum(count)::bigint as count, sum(ms) as ms, array[sum(buckets[1]), sum(buckets[2]), sum(buckets[3]),
  sum(buckets[4]), sum(buckets[5]), sum(buckets[6]), sum(buckets[7]), sum(buckets[8])]::bigint[] as buckets`

export async function rollUp(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into account.request_hours (org_id, at, key_id, operation, class, count, ms, buckets)
    select org_id, date_trunc('hour', at, 'UTC'), key_id, operation, class, ${summed} from account.request_minutes
    where at >= greatest(date_trunc('hour', now() - interval '47 hours', 'UTC'),
      (select max(at) - interval '2 hours' from account.request_hours))
    group by 1, 2, 3, 4, 5
    on conflict (org_id, at, key_id, operation, class) do update
    set count = excluded.count, ms = excluded.ms, buckets = excluded.buckets`)
}

export type CountedDimension = 'operation' | 'key_id' | 'at'

const Sum = Counted.pick({ class: true, count: true, ms: true, buckets: true }).extend({ by: z.string() })

/** Returns the number of requests in a period, by status class and by operation, key or minute. */
export async function sums(
  db: Db,
  orgId: string,
  { since, until, by }: { since: Date; until: Date; by: CountedDimension },
): Promise<readonly z.infer<typeof Sum>[]> {
  const named =
    by === 'at' ? sql.fragment`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')` : sql.identifier([by])
  return await db.any(sql.type(Sum)`
    select ${named}::text as by, class, ${summed} from account.request_minutes
    where org_id = ${orgId} and at >= ${since.toISOString()}::timestamptz and at < ${until.toISOString()}::timestamptz
    group by 1, 2 order by 1, 2`)
}
