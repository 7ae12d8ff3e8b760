import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import type { PoolName } from '#tasks/pools.ts'

/** Puts a worker on record that no process is, and whose lease holds, for tests in whose database nobody sweeps; returns its id. */
export async function leaseholder(db: DatabasePool, pool: PoolName): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, lease)
    values (${id}, ${pool}, ${id}, 'host', 1, 1, interval '1 hour')`)
  return id
}

/** Has the lease of a worker be over, since so many seconds. */
export async function endLease(db: DatabasePool, workerId: string, secondsAgo = 0): Promise<void> {
  await db.query(sql.typeAlias('void')`update jobs.workers set state = 'lost' where id = ${workerId}`)
  await db.query(sql.typeAlias('void')`
    update jobs.workers set ended_at = ended_at - make_interval(secs => ${secondsAgo}) where id = ${workerId}`)
}
