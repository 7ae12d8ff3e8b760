import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/**
 * Returns a condition that a worker’s lease is valid, for a column with the worker’s ID in `jobs.workers` (such as
 * `sql.fragment`s.worker_id``). During the lease, the worker owns its resources. After the lease, other workers can
 * take them. A dead worker is detected within two seconds. A worker without heartbeats is detected after its
 * `LEASE_MS`. A worker without a row has no lease.
 */
export const lease = (workerId: FragmentSqlToken) => sql.fragment`exists (
  select from jobs.leaseholders as leaseholder where leaseholder.id = ${workerId})`

export const workerHoldsLease = (workerId: string) => lease(sql.fragment`${workerId}::uuid`)

export async function hasLease(db: Db, workerId: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ held: z.boolean() }))`select ${workerHoldsLease(workerId)} as held`)
}
