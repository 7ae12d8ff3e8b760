import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'
import { IpPool } from './deliveries.ts'

/** SMTP connections that workers hold, by their ids in `jobs.workers`. */
export const table = defineTable(
  'email',
  'connections',
  z.object({
    id: Id,
    pool: IpPool,
    local_address: z.string(),
    mx_set: z.string(),
    worker_id: Id,
  }),
)

const ConnectionGrant = z.object({
  local_address: z.string().nullable(),
  level: z.number().nullable(),
  live: z.number().nullable(),
  free_at: z.date().nullable(),
})

/** What came of the wish for a connection: from which address, or, without one, until when all addresses are suspended. */
export type ConnectionGrant = z.infer<typeof ConnectionGrant>

export interface ConnectionRequest {
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
}

/** Takes a connection to an MX set, if one more may be open. */
export async function take(db: Db, request: ConnectionRequest): Promise<ConnectionGrant> {
  const { id, pool, addresses, mxSet, most, recovery, workerId } = request
  return await db.one(sql.type(ConnectionGrant)`
    select * from email.take_connection(${id}, ${pool}, ${sql.array([...addresses], 'text')}, ${mxSet}, ${most},
      ${recovery} * interval '1 millisecond', ${workerId})`)
}

/** Gives a connection back. */
export async function end(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from ${table.name} where id = ${id}`)
}

const Site = z.object({ pool: IpPool, mx_set: z.string() })

/** A worker that looks, with the ids of the connections that it takes and has; of those whose id is not below `before` it says nothing. */
export interface Holder {
  workerId: string
  connections: readonly string[]
  before: string
}

/**
 * Gives back the connections of workers whose lease is over, and those of `holder` of which it knows nothing any more; returns the
 * MX sets that messages were taken of for them.
 */
export async function endLost(tx: Db, holder?: Holder): Promise<readonly z.infer<typeof Site>[]> {
  const { workerId = null, connections = [], before = null } = holder ?? {}
  return await tx.any(sql.type(Site)`
    with lost as (
      delete from email.connections where id = any(array(
        select c.id from email.connections as c
        where not ${lease(sql.fragment`c.worker_id`)}
          or c.worker_id = ${workerId} and c.id < ${before}::uuid and c.id <> all(${sql.array([...connections], 'uuid')})
        order by c.id for update of c skip locked))
      returning pool, mx_set)
    select distinct pool, mx_set from lost order by pool, mx_set`)
}
