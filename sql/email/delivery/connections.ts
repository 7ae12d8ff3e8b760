import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { lease } from '../../jobs/lease.ts'
import { defineTable } from '../../table.ts'
import { PoolKey } from './pool-keys.ts'

export const table = defineTable(
  'email',
  'connections',
  z.object({
    id: Id,
    pool: PoolKey,
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

/** Address of the connection. Without an address: the time until which all addresses are suspended. */
export type ConnectionGrant = z.infer<typeof ConnectionGrant>

export interface ConnectionRequest {
  id: string
  pool: PoolKey
  /** In the order in which they are tried. If an address is empty, the system chooses. */
  addresses: readonly string[]
  mxSet: string
  /** Maximum number of connections from one address when the MX set is not slowed. */
  most: number
  /** Time in milliseconds after which a level ends. */
  recovery: number
  workerId: string
}

export async function take(db: Db, request: ConnectionRequest): Promise<ConnectionGrant> {
  const { id, pool, addresses, mxSet, most, recovery, workerId } = request
  return await db.one(sql.type(ConnectionGrant)`
    select * from email.take_connection(${id}, ${pool}, ${sql.array([...addresses], 'text')}, ${mxSet}, ${most},
      ${recovery} * interval '1 millisecond', ${workerId})`)
}

const Site = z.object({ pool: PoolKey, mx_set: z.string() })

/** A worker with the IDs of its connections. Connections with IDs from `before` on are not considered. */
export interface Holder {
  workerId: string
  connections: readonly string[]
  before: string
}

/**
 * Releases connections whose lease has expired, and connections that `holder` no longer has. Returns the MX sets of
 * their messages.
 */
export async function releaseLost(tx: Db, holder?: Holder): Promise<readonly z.infer<typeof Site>[]> {
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
