import type { FragmentSqlToken } from 'slonik'
import { sql } from '../db.ts'

/**
 * Whether the lease of a worker holds, given the column with its id in `jobs.workers` (such as `sql.fragment`s.worker_id``): what it
 * has taken is its own for so long, and open to others from then on. A worker that died is known within two seconds, one that is
 * silent after its `LEASE_MS`; one that has no row has no lease.
 */
export const lease = (workerId: FragmentSqlToken) => sql.fragment`exists (
  select from jobs.workers as leaseholder
  where leaseholder.id = ${workerId} and leaseholder.state = 'alive'
    and leaseholder.seen_at + leaseholder.lease > clock_timestamp())`
