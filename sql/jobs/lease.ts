import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/**
 * Whether the lease of a worker holds, given the column with its id in `jobs.workers` (such as `sql.fragment`s.worker_id``): what it
 * has taken is its own for so long, and open to others from then on. A worker that died is known within two seconds, one that is
 * silent after its `LEASE_MS`; one that has no row has no lease.
 */
export const lease = (workerId: FragmentSqlToken) => sql.fragment`exists (
  select from jobs.leaseholders as leaseholder where leaseholder.id = ${workerId})`

/** The same of a worker whose id is known. */
export const leaseOf = (workerId: string) => lease(sql.fragment`${workerId}::uuid`)

/** Whether a worker has its lease. */
export async function hasLease(db: Db, workerId: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ held: z.boolean() }))`select ${leaseOf(workerId)} as held`)
}
