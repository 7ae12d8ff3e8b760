import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Stream } from './messages.ts'

/** What is counted of messages. */
export const counters = [
  'accepted',
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'hard_bounced',
  'failed',
  'suppressed',
  'complained',
] as const

/** What is counted of messages. */
export type Counter = (typeof counters)[number]

/** Messages by the day on which they were accepted. */
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

/** What is to be added to the counts of a day (`YYYY-MM-DD`, UTC). */
export type Count = { org_id: string; day: string; stream: Stream } & { [C in Counter]?: number }

/** Adds to the counts of days. */
export async function count(tx: Db, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return
  const names = counters.map((name) => sql.identifier([name]))
  const list = (fragments: ReturnType<typeof sql.fragment>[]) => sql.join(fragments, sql.fragment`, `)
  await tx.query(sql.typeAlias('void')`
    insert into email.daily as d (org_id, day, stream, ${list(names.map((n) => sql.fragment`${n}`))})
    select org_id, day, stream, ${list(names.map((n) => sql.fragment`coalesce(sum(${n}), 0)`))}
    from json_populate_recordset(null::email.daily, ${JSON.stringify(counts)}::json)
    group by org_id, day, stream order by org_id, day, stream
    on conflict (org_id, day, stream) do update
    set ${list(names.map((n) => sql.fragment`${n} = d.${n} + excluded.${n}`))}`)
}
