import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { lease } from '../../jobs/lease.ts'
import { defineTable } from '../../table.ts'
import { IpPool, type PoolKey, toPoolKey } from './pool-keys.ts'

export const PoolAddress = z.object({ address: z.string(), name: z.string() })

export type PoolAddress = z.infer<typeof PoolAddress>

/** Maximum number of messages per day from an address, by days since its first use. 0 means no maximum. */
export const WarmUp = z.array(z.tuple([z.number(), z.number()]))

export type WarmUp = z.infer<typeof WarmUp>

export const table = defineTable(
  'email',
  'ip_pools',
  z.object({
    name: z.string(),
    addresses: z.array(PoolAddress),
    warm_up: WarmUp.nullable(),
    assigned_to: Id.nullable(),
    assigned_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export type DedicatedPool = z.infer<typeof table.Row>

export const workerTable = defineTable(
  'email',
  'ip_pool_workers',
  z.object({ worker_id: Id, address: z.string(), registered_at: z.date() }),
)

export async function find(db: Db, name: string): Promise<DedicatedPool | null> {
  return await db.maybeOne(sql.prepared('email.ip_pool', table.Row)`
    select ${table.columns()} from email.ip_pools where name = ${name}`)
}

/** Returns the names of the pools of organisations. Omits organisations without a pool. */
export async function findNames(db: Db, orgIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.prepared('email.ip_pool_names', z.object({ assigned_to: Id, name: z.string() }))`
    select assigned_to, name from email.ip_pools where assigned_to = any(${sql.array([...orgIds], 'uuid')})`)
  return new Map(rows.map(({ assigned_to, name }) => [assigned_to, name]))
}

/** Returns the keys of all dedicated pools, and whether a live worker has one of their addresses. */
export async function listKeys(db: Db): Promise<readonly { key: PoolKey; name: string; has_worker: boolean }[]> {
  const rows = await db.any(sql.type(z.object({ name: z.string(), has_worker: z.boolean() }))`
    select name, email.has_pool_worker(name) as has_worker from email.ip_pools order by name`)
  return rows.flatMap((row) => IpPool.options.map((shared) => ({ key: toPoolKey(shared, row.name), ...row })))
}

export async function hasWorker(db: Db, name: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ has_worker: z.boolean() }))`
    select email.has_pool_worker(${name}) as has_worker`)
}

/** Returns false if the name is taken. */
export async function insert(
  tx: Db,
  { name, addresses, warm_up }: Pick<DedicatedPool, 'name' | 'addresses' | 'warm_up'>,
): Promise<boolean> {
  const added = await tx.query(sql.typeAlias('void')`
    ${table.insert({ name, addresses, warm_up })} on conflict (name) do nothing`)
  return added.rowCount === 1
}

/** Changes the given columns. Returns false if the pool does not exist. */
export async function update(
  tx: Db,
  name: string,
  changes: Partial<Pick<DedicatedPool, 'addresses' | 'warm_up'>>,
): Promise<boolean> {
  const changed = await tx.query(sql.typeAlias('void')`
    update email.ip_pools set ${table.set(changes)} where name = ${name}`)
  return changed.rowCount === 1
}

/** Deletes a pool that is not assigned and that no delivery uses. Returns false if it is in use or does not exist. */
export async function remove(tx: Db, name: string): Promise<boolean> {
  const keys = IpPool.options.map((shared) => toPoolKey(shared, name))
  const removed = await tx.query(sql.typeAlias('void')`
    delete from email.ip_pools where name = ${name} and assigned_to is null
      and not exists (select from email.deliveries as d where d.pool = any(${sql.array(keys, 'text')}))`)
  return removed.rowCount === 1
}

/** Assigns a free pool to an organisation without a pool. Returns false if one of them is taken. */
export async function assign(tx: Db, name: string, orgId: string): Promise<boolean> {
  const assigned = await tx.query(sql.typeAlias('void')`
    update email.ip_pools set assigned_to = ${orgId}, assigned_at = now()
    where name = ${name} and assigned_to is null
      and not exists (select from email.ip_pools as o where o.assigned_to = ${orgId})`)
  return assigned.rowCount === 1
}

/** Returns the name of the pool that the organisation had. Null if it had none. */
export async function unassign(tx: Db, orgId: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ name: z.string() }))`
    update email.ip_pools set assigned_to = null, assigned_at = null where assigned_to = ${orgId} returning name`)
}

/** Records which addresses a worker has, and deletes the rows of workers that ended. */
export async function registerWorker(tx: Db, workerId: string, addresses: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from email.ip_pool_workers as w
    where w.registered_at < now() - interval '1 hour' and not ${lease(sql.fragment`w.worker_id`)}`)
  const rows = addresses.map((address) => ({ worker_id: workerId, address }))
  await tx.query(sql.typeAlias('void')`${workerTable.insertMany(rows)} on conflict do nothing`)
}

export const PoolView = table.Row.extend({
  /** Name of the organisation. */
  org: z.string().nullable(),
  waiting: z.number(),
  /** Addresses that a live worker has. */
  live: z.array(z.string()),
  /** Messages that were sent today (UTC), by address. Addresses without a daily maximum are not counted. */
  today: z.record(z.string(), z.number()),
})

export type PoolView = z.infer<typeof PoolView>

/** Returns all pools with their state, or the pool of one organisation. */
export async function listViews(db: Db, orgId?: string): Promise<readonly PoolView[]> {
  const where = orgId === undefined ? sql.fragment`true` : sql.fragment`p.assigned_to = ${orgId}`
  return await db.any(sql.type(PoolView)`
    select ${table.columns('p')}, o.name as org,
      (select count(*)::integer from email.deliveries as d
        where d.pool in ('transactional:' || p.name, 'campaign:' || p.name)) as waiting,
      array(select distinct w.address from jsonb_to_recordset(p.addresses) as a (address text)
        join email.ip_pool_workers as w on w.address = a.address
        join jobs.leaseholders as l on l.id = w.worker_id order by w.address) as live,
      (select coalesce(jsonb_object_agg(t.local_address, t.sent), '{}') from email.address_days as t
        where t.day = (now() at time zone 'utc')::date
          and t.local_address in (select a.address from jsonb_to_recordset(p.addresses) as a (address text))) as today
    from email.ip_pools as p left join account.orgs as o on o.id = p.assigned_to
    where ${where} order by p.name`)
}
