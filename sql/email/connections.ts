import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { IpPool } from './deliveries.ts'

/** Leases of SMTP connections. */
export const table = defineTable(
  'email',
  'connections',
  z.object({
    id: Id,
    pool: IpPool,
    local_address: z.string(),
    mx_set: z.string(),
    worker_id: Id,
    leased_until: z.date(),
  }),
)

const Taken = z.object({
  local_address: z.string().nullable(),
  level: z.number().nullable(),
  live: z.number().nullable(),
  free_at: z.date().nullable(),
})

/** What came of the wish for a connection: from which address, or, without one, until when all addresses are suspended. */
export type Taken = z.infer<typeof Taken>

/** The connection that is wanted. */
export interface Wanted {
  id: string
  pool: IpPool
  /** In the order in which they are tried; an empty text leaves the choice to the system. */
  addresses: readonly string[]
  mxSet: string
  /** Connections from one address while nothing has slowed it. */
  most: number
  /** Milliseconds in which a level goes by. */
  recovery: number
  workerId: string
  /** Milliseconds. */
  lease: number
}

/** Takes a connection to an MX set, if one more may be open. */
export async function take(db: Db, wanted: Wanted): Promise<Taken> {
  const { id, pool, addresses, mxSet, most, recovery, workerId, lease } = wanted
  return await db.one(sql.type(Taken)`
    select * from email.take_connection(${id}, ${pool}, ${sql.array([...addresses], 'text')}, ${mxSet}, ${most},
      ${recovery} * interval '1 millisecond', ${workerId}, ${lease} * interval '1 millisecond')`)
}

/** Renews leases; returns those that held. */
export async function renew(db: Db, ids: readonly string[], lease: number): Promise<ReadonlySet<string>> {
  const held = await db.anyFirst(sql.type(z.object({ id: Id }))`
    update email.connections set leased_until = now() + ${lease} * interval '1 millisecond'
    where id = any(${sql.array([...ids], 'uuid')}) and email.is_leased(id) returning id`)
  return new Set(held)
}

/** Ends a lease. */
export async function end(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from ${table.name} where id = ${id}`)
}

const Site = z.object({ pool: IpPool, mx_set: z.string() })

/** Ends the leases of workers that are gone; returns the MX sets that they had taken messages of. */
export async function endLost(tx: Db): Promise<readonly z.infer<typeof Site>[]> {
  return await tx.any(sql.type(Site)`
    with lost as (
      delete from email.connections where id in (
        select id from email.connections where not email.is_leased(id) order by id for update skip locked)
      returning pool, mx_set)
    select distinct pool, mx_set from lost order by pool, mx_set`)
}

/** Which row of `jobs.workers` a process is; null when it is none. */
export async function workerOf(db: Db, pool: string, host: string, pid: number): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from jobs.workers where pool = ${pool} and host = ${host} and pid = ${pid} and state = 'alive'
    order by id desc limit 1`)
}
