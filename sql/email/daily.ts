import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Stream } from './messages.ts'

export const counters = [
  'accepted',
  'sent',
  'delivered',
  'taken',
  'deferred',
  'bounced',
  'hard_bounced',
  'failed',
  'suppressed',
  'complained',
] as const

export type Counter = (typeof counters)[number]

export const table = defineTable(
  'email',
  'daily',
  z.object({
    org_id: Id,
    day: z.string(),
    stream: Stream,
    ...(Object.fromEntries(counters.map((name) => [name, z.number()])) as Record<Counter, z.ZodNumber>),
  }),
)

/** Number of accepted messages of the day `d`. Workers of the previous release count `delivered`, but not `taken`. */
export const taken = sql.fragment`greatest(d.taken, d.delivered)`

/** `day` is `YYYY-MM-DD` in UTC. */
export type Count = { org_id: string; day: string; stream: Stream } & { [C in Counter]?: number }

export async function count(tx: Db, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return
  const names = counters.map((name) => sql.identifier([name]))
  const list = (fragments: ReturnType<typeof sql.fragment>[]) => sql.join(fragments, sql.fragment`, `)
  await tx.query(sql.prepared('email.count', z.object({}))`
    insert into ${table.name} as d (org_id, day, stream, ${list(names.map((n) => sql.fragment`${n}`))})
    select org_id, day, stream, ${list(names.map((n) => sql.fragment`coalesce(sum(${n}), 0)`))}
    from json_populate_recordset(null::email.daily, ${JSON.stringify(counts)}::json)
    group by org_id, day, stream order by org_id, day, stream
    on conflict (org_id, day, stream) do update
    set ${list(names.map((n) => sql.fragment`${n} = d.${n} + excluded.${n}`))}`)
}

const Day = z.object({
  day: z.string(),
  ...(Object.fromEntries(counters.map((name) => [name, z.number()])) as Record<Counter, z.ZodNumber>),
})

/** Returns the counts per day, oldest first. Days without messages have zeros. */
export async function listByDay(
  db: Db,
  orgId: string,
  { days, stream }: { days: number; stream?: Stream | undefined },
): Promise<readonly z.infer<typeof Day>[]> {
  const sums = counters.map((name) => {
    const column = sql.identifier([name])
    return sql.fragment`coalesce(sum(${name === 'taken' ? taken : sql.fragment`d.${column}`}), 0) as ${column}`
  })
  const which = stream ? sql.fragment`and d.stream = ${stream}` : sql.fragment``
  return await db.any(sql.type(Day)`
    select g.day::date::text as day, ${sql.join(sums, sql.fragment`, `)}
    from generate_series(
      (now() at time zone 'utc')::date - ${days - 1}::integer, (now() at time zone 'utc')::date, interval '1 day') as g (day)
    left join email.daily as d on d.org_id = ${orgId} and d.day = g.day::date ${which}
    group by g.day order by g.day`)
}
