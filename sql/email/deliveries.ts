import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** The addresses that mail leaves from: transactional and security mail from the one set, marketing from the other. */
export const IpPool = z.enum(['transactional', 'campaign'])

/** A set of addresses that mail leaves from. */
export type IpPool = z.infer<typeof IpPool>

/** Messages that are still to be delivered. */
export const table = defineTable(
  'email',
  'deliveries',
  z.object({
    message_id: Id,
    org_id: Id,
    pool: IpPool,
    to_domain: z.string(),
    mx_set: z.string().nullable(),
    turn: z.number(),
    attempts: z.number(),
    due_at: z.date(),
    give_up_at: z.date(),
    local_address: z.string().nullable(),
    leased_by: Id.nullable(),
    losses: z.number(),
    sending_losses: z.number(),
    stage: z.enum(['making', 'sending']).nullable(),
  }),
)

/** A message that is still to be delivered. */
export type Delivery = z.infer<typeof table.Row>

/** Adds messages to what is to be delivered. */
export async function insertMany(
  tx: Db,
  deliveries: readonly (Pick<Delivery, 'message_id' | 'org_id' | 'pool' | 'to_domain' | 'turn'> & {
    give_up_at: string
  })[],
): Promise<void> {
  if (deliveries.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(deliveries)}`)
}

/** How many messages are waiting for each of some organisations in a pool; none is counted beyond `most`. */
export async function backlogs(
  tx: Db,
  pool: IpPool,
  orgIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.any(sql.type(z.object({ org_id: Id, waiting: z.number() }))`
    select o.org_id, w.waiting from unnest(${sql.array([...orgIds], 'uuid')}) as o (org_id)
    cross join lateral (select count(*)::integer as waiting from (
      select from email.deliveries as d where d.org_id = o.org_id and d.pool = ${pool} limit ${most}) as counted) as w`)
  return new Map(rows.map(({ org_id, waiting }) => [org_id, waiting]))
}
