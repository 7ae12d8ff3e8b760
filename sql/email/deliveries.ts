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

/** Why a message is not being delivered now. */
export const Wait = z.object({
  /** The next attempt. */
  number: z.number(),
  pool: IpPool,
  mx_set: z.string().nullable(),
  /** The last attempt, or when the message was accepted. */
  since: z.date(),
  due_at: z.date(),
  /** No address of the pool may send to the MX set before; null when one may. */
  suspended_until: z.date().nullable(),
  /** The class of the reply that suspended it. */
  suspended_by: z.string().nullable(),
})

/** Why a message is not being delivered now. */
export type Wait = z.infer<typeof Wait>

/**
 * Why a message waits; null when it has come to an end or is being handed over. Addresses that the last look for a connection passed over
 * are those of the pool: the message waits for its MX set only while that is suspended from all of them.
 */
export async function findWait(db: Db, orgId: string, messageId: string): Promise<Wait | null> {
  return await db.maybeOne(sql.type(Wait)`
    select d.attempts + 1 as number, d.pool, d.mx_set, d.due_at,
      coalesce((select max(a.ended_at) from email.attempts as a where a.message_id = d.message_id), m.created_at) as since,
      case when s.is_suspended then s.suspended_until end as suspended_until,
      case when s.is_suspended then s.reply_class end as suspended_by
    from email.deliveries as d join email.messages as m on m.id = d.message_id
    cross join lateral (
      select bool_and(coalesce(l.suspended_until > now(), false)) as is_suspended, min(l.suspended_until) as suspended_until,
        (array_agg(l.reply_class order by l.suspended_until))[1] as reply_class
      from (
        select s.*, max(s.used_at) over () as last_used_at from email.mx_sets as s
        where s.pool = d.pool and s.mx_set = d.mx_set) as l
      where l.used_at > l.last_used_at - interval '1 second') as s
    where d.org_id = ${orgId} and d.message_id = ${messageId}
      and (d.leased_by is null or not email.is_leased(d.leased_by))`)
}
