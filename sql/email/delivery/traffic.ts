import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { lease } from '../../jobs/lease.ts'
import { table as suppressions } from '../contacts/suppressions.ts'
import { Message, table as messages } from '../messages.ts'
import { table as attempts } from './attempts.ts'
import { PoolKey } from './pool-keys.ts'

/** Number of waiting messages of an MX set, or of a domain whose MX set is unknown. */
export const PlaceBacklog = z.object({
  pool: PoolKey,
  place: z.string(),
  waiting: z.number(),
  due: z.number(),
  leased: z.number(),
  oldest_at: z.date(),
})

export type PlaceBacklog = z.infer<typeof PlaceBacklog>

export async function listBacklogs(db: Db, limit: number): Promise<readonly PlaceBacklog[]> {
  return await db.any(sql.type(PlaceBacklog)`
    select d.pool, coalesce(d.mx_set, d.to_domain) as place, count(*)::integer as waiting,
      (count(*) filter (where d.due_at <= now() and d.leased_by is null))::integer as due,
      (count(*) filter (where d.leased_by is not null))::integer as leased, min(m.created_at) as oldest_at
    from email.deliveries as d join email.messages as m on m.id = d.message_id
    group by 1, 2 order by 3 desc, 1, 2 limit ${limit}`)
}

export const PoolTotals = z.object({ pool: PoolKey, waiting: z.number(), due: z.number(), connections: z.number() })

export async function countPools(db: Db): Promise<readonly z.infer<typeof PoolTotals>[]> {
  return await db.any(sql.type(PoolTotals)`
    select p.pool,
      (select count(*)::integer from email.deliveries as d where d.pool = p.pool) as waiting,
      (select count(*)::integer from email.deliveries as d
        where d.pool = p.pool and d.leased_by is null and d.due_at <= now()) as due,
      (select count(*)::integer from email.connections as c where c.pool = p.pool and ${lease(sql.fragment`c.worker_id`)}) as connections
    from (
      select pool, 0 as place from unnest(array['transactional', 'campaign']) as s (pool)
      union all select s.pool || ':' || i.name, 1
      from email.ip_pools as i cross join unnest(array['transactional', 'campaign']) as s (pool)) as p
    order by p.place, p.pool desc`)
}

export const AttemptView = attempts.Row.extend({ to_email: z.string(), org: z.string() })

export type AttemptView = z.infer<typeof AttemptView>

export async function latestAttempts(db: Db, limit: number): Promise<readonly AttemptView[]> {
  return await db.any(sql.type(AttemptView)`
    select ${attempts.columns('a')}, m.to_email, o.name as org
    from (select * from email.attempts order by id desc limit ${limit}) as a
    join email.messages as m on m.id = a.message_id join account.orgs as o on o.id = a.org_id order by a.id desc`)
}

export const SuppressionView = suppressions.Row.extend({ org: z.string() })

export type Position = Pick<z.infer<typeof SuppressionView>, 'email' | 'org_id' | 'reason'>

/** Returns suppressed addresses that start with `start`, sorted, after `after`. */
export async function listSuppressed(
  db: Db,
  { start, after, limit }: { start: string; after: Position | undefined; limit: number },
): Promise<readonly z.infer<typeof SuppressionView>[]> {
  const email = sql.fragment`s.email collate "C"`
  const next = after
    ? sql.fragment`and (${email}, s.org_id, s.reason) > (${after.email}, ${after.org_id}::uuid, ${after.reason})`
    : sql.fragment``
  return await db.any(sql.type(SuppressionView)`
    select ${suppressions.columns('s')}, o.name as org
    from email.suppressions as s join account.orgs as o on o.id = s.org_id
    where ${email} >= ${start} and starts_with(s.email, ${start}) ${next}
    order by ${email}, s.org_id, s.reason limit ${limit}`)
}

export const MessageView = Message.extend({ org: z.string(), org_id: Id })

export async function findMessage(db: Db, id: string): Promise<z.infer<typeof MessageView> | null> {
  return await db.maybeOne(sql.type(MessageView)`
    select ${messages.columns('m')}, o.name as org
    from email.messages as m join account.orgs as o on o.id = m.org_id where m.id = ${id}`)
}
