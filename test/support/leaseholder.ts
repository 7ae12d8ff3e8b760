import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import type { PoolName } from '#tasks/pools.ts'

/** Adds a worker without a process and with a valid lease, for databases without sweeps. Returns its ID. */
export async function leaseholder(db: DatabasePool, pool: PoolName): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, lease)
    values (${id}, ${pool}, ${id}, 'host', 1, 1, interval '1 hour')`)
  return id
}

/** Ends a worker’s lease, `secondsAgo`. */
export async function endLease(db: DatabasePool, workerId: string, secondsAgo = 0): Promise<void> {
  await db.query(sql.typeAlias('void')`update jobs.workers set state = 'lost' where id = ${workerId}`)
  await db.query(sql.typeAlias('void')`
    update jobs.workers set ended_at = ended_at - make_interval(secs => ${secondsAgo}) where id = ${workerId}`)
}
