import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'
import { IpPool, PoolKey } from './pool-keys.ts'

export const table = defineTable(
  'email',
  'deliveries',
  z.object({
    message_id: Id,
    org_id: Id,
    pool: PoolKey,
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

export type Delivery = z.infer<typeof table.Row>

export async function insertMany(
  tx: Db,
  deliveries: readonly (Pick<Delivery, 'message_id' | 'org_id' | 'pool' | 'to_domain' | 'turn'> & {
    give_up_at: string
  })[],
): Promise<void> {
  if (deliveries.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(deliveries)}`)
}

/** Counts the backlog of each organisation, up to `most`. */
export async function countBacklogs(
  tx: Db,
  pool: PoolKey,
  orgIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.any(sql.type(z.object({ org_id: Id, waiting: z.number() }))`
    select o.org_id, w.waiting from unnest(${sql.array([...orgIds], 'uuid')}) as o (org_id)
    cross join lateral (select count(*)::integer as waiting from (
      select from email.deliveries as d where d.org_id = o.org_id and d.pool = ${pool} limit ${most}) as counted) as w`)
  return new Map(rows.map(({ org_id, waiting }) => [org_id, waiting]))
}

export const Wait = z.object({
  /** Number of the next attempt. */
  number: z.number(),
  pool: IpPool,
  /** Dedicated pool. Null for the shared pool. */
  ip_pool: z.string().nullable(),
  /** True if a live worker can send for the pool. */
  has_worker: z.boolean(),
  mx_set: z.string().nullable(),
  /** Time of the last attempt, or of acceptance. */
  since: z.date(),
  due_at: z.date(),
  /** Until then, no address of the pool can send to the MX set. Null if an address can send. */
  suspended_until: z.date().nullable(),
  suspended_by: z.string().nullable(),
})

export type Wait = z.infer<typeof Wait>

/**
 * Returns why a message waits. Null if the message has ended or is being sent. The MX set is the reason only while it
 * is suspended from all addresses of the pool, as of the last search for a connection.
 */
export async function findWait(db: Db, orgId: string, messageId: string): Promise<Wait | null> {
  return await db.maybeOne(sql.type(Wait)`
    select d.attempts + 1 as number, split_part(d.pool, ':', 1) as pool, nullif(split_part(d.pool, ':', 2), '') as ip_pool,
      (position(':' in d.pool) = 0 or email.has_pool_worker(split_part(d.pool, ':', 2))) as has_worker, d.mx_set, d.due_at,
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
