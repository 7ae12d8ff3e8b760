import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { PoolKey } from './pool-keys.ts'

const Place = z.object({ pool: PoolKey, to_domain: z.string() })

/** A new place of deliveries, whose job must be added. */
export type Place = z.infer<typeof Place>

const unleased = sql.fragment`(d.leased_by is null or not email.is_leased(d.leased_by))`

const pool = sql.fragment`
  split_part(d.pool, ':', 1) || coalesce(':' || (select p.name from email.ip_pools as p where p.assigned_to = d.org_id), '')`

/** Moves all waiting messages of an organisation to the pool that it has now. */
export async function moveOf(tx: Db, orgId: string): Promise<readonly Place[]> {
  return await tx.any(sql.type(Place)`
    with moved as (
      update email.deliveries as d set pool = ${pool}, local_address = null
      where d.org_id = ${orgId} and d.pool <> ${pool} and ${unleased} returning d.pool, d.to_domain)
    select distinct pool, to_domain from moved order by pool, to_domain`)
}

/** Moves messages that a connection took for a pool that their organisation no longer has, and releases them. */
export async function moveTaken(tx: Db, connection: string, messageIds: readonly string[]): Promise<readonly Place[]> {
  return await tx.any(sql.type(Place)`
    with moved as (
      update email.deliveries as d set pool = ${pool}, local_address = null, leased_by = null
      where d.message_id = any(${sql.array([...messageIds], 'uuid')}) and d.leased_by = ${connection}
      returning d.pool, d.to_domain)
    select distinct pool, to_domain from moved order by pool, to_domain`)
}

/**
 * Moves up to `limit` waiting messages that are in the wrong pool, because they were accepted or retried while the
 * assignment changed.
 */
export async function moveMisplaced(tx: Db, limit: number): Promise<readonly Place[]> {
  return await tx.any(sql.type(Place)`
    with wrong as (
      (select d.message_id from email.ip_pools as p
        join email.deliveries as d on d.org_id = p.assigned_to
        where d.pool not in ('transactional:' || p.name, 'campaign:' || p.name) limit ${limit})
      union all
      (select d.message_id from email.ip_pools as p
        join email.deliveries as d on d.pool in ('transactional:' || p.name, 'campaign:' || p.name)
        where d.org_id is distinct from p.assigned_to limit ${limit})
    ), moved as (
      update email.deliveries as d set pool = ${pool}, local_address = null
      from wrong as w where d.message_id = w.message_id and ${unleased} returning d.pool, d.to_domain)
    select distinct pool, to_domain from moved order by pool, to_domain`)
}
