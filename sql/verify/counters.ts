import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Codes of an organisation in an hour or a day (UTC). Names of recipients and networks are hashes. */
export const table = defineTable(
  'verify',
  'counters',
  z.object({
    org_id: Id,
    kind: z.enum(['organisation', 'recipient', 'network', 'country']),
    name: z.string(),
    starts_at: z.date(),
    count: z.number(),
  }),
  { retention: hours(49, 'starts_at') },
)

export type Kind = z.infer<typeof table.Row>['kind']

export interface Count {
  kind: Kind
  name: string
  /** Length of the window: counts start again at each full hour or day. */
  per: 'hour' | 'day'
  most: number
}

const Exceeded = z.object({ kind: table.Row.shape.kind, seconds: z.number() })

/**
 * Counts one more code. Returns the limits that are exceeded, with the seconds until their windows end. The caller then
 * rolls its transaction back, which also takes the count back. The row of the organisation comes first and stays locked,
 * so the starts of one organisation follow each other.
 */
export async function add(
  tx: Db,
  orgId: string,
  counts: readonly Count[],
): Promise<readonly z.infer<typeof Exceeded>[]> {
  const order: Kind[] = ['organisation', 'country', 'network', 'recipient']
  const sorted = counts.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const exceeded: z.infer<typeof Exceeded>[] = []
  for (const { kind, name, per, most } of sorted) {
    const start = sql.fragment`date_trunc(${per}, clock_timestamp(), 'UTC')`
    const row = await tx.one(sql.type(z.object({ count: z.number(), seconds: z.number() }))`
      insert into verify.counters as c (org_id, kind, name, starts_at, count)
      values (${orgId}, ${kind}, ${name}, ${start}, 1)
      on conflict (org_id, kind, name, starts_at) do update set count = c.count + 1
      returning count, ceil(extract(epoch from c.starts_at + ('1 ' || ${per})::interval - clock_timestamp()))::integer as seconds`)
    if (row.count > most) exceeded.push({ kind, seconds: Math.max(1, row.seconds) })
  }
  return exceeded
}
