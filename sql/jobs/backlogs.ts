import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { jobsTable } from './graphile-schema.ts'
import { wasPutBack } from './locked-jobs.ts'

/** Waiting jobs of an organisation in a pool at one priority: a row of `jobs.shares`. `begun` only grows. */
export const Backlog = z.object({
  pool: z.string(),
  org_id: Id,
  priority: z.number(),
  waiting: z.number(),
  begun: z.number(),
})

export type Backlog = z.infer<typeof Backlog>

export type BacklogKey = Pick<Backlog, 'pool' | 'org_id'>

export async function find(db: Db, keys: readonly BacklogKey[]): Promise<readonly Backlog[]> {
  const rows = keys.map(({ pool, org_id }) => [pool, org_id])
  return await db.any(sql.type(Backlog)`
    select pool, org_id, priority, waiting, begun
    from ${sql.unnest(rows, ['text', 'uuid'])} as wanted (pool, org_id) join jobs.shares using (pool, org_id)`)
}

/** Adds changes to the rows, always in the same order, so that processes cannot deadlock. */
export async function add(db: Db, changes: readonly Backlog[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ pool, org_id, priority, waiting, begun }) => [pool, org_id, priority, waiting, begun])
  await db.query(sql.typeAlias('void')`
    insert into jobs.shares as backlog (pool, org_id, priority, waiting, begun)
    select * from ${sql.unnest(rows, ['text', 'uuid', 'int2', 'int4', 'int8'])} as change order by 1, 2, 3
    on conflict (pool, org_id, priority) do update
    set waiting = backlog.waiting + excluded.waiting, begun = backlog.begun + excluded.begun`)
}

/**
 * Counts the waiting jobs in a pool’s queue, including parked and returned jobs, and stores the counts. Rows without
 * waiting jobs are deleted if no job has started since the last count. `levelSize` is the divisor of the queue’s
 * priority column.
 */
export async function recount(db: Db, pool: string, queue: string, levelSize: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with truth as materialized (
      select (payload ->> 'org')::uuid as org_id,
        ((priority % ${levelSize}::integer + ${levelSize}::integer) % ${levelSize}::integer)::smallint as priority, count(*)::integer as waiting
      from ${jobsTable({ schema: queue })}
      where is_available and (jobs.unpark(run_at) <= now() or ${wasPutBack}) and payload ->> 'org' is not null group by 1, 2),
    written as (
      insert into jobs.shares as backlog (pool, org_id, priority, waiting)
      select ${pool}, org_id, priority, waiting from truth order by 1, 2, 3
      on conflict (pool, org_id, priority) do update set waiting = excluded.waiting, begun_before = backlog.begun),
    over as materialized (
      select backlog.* from jobs.shares as backlog left join truth using (org_id, priority)
      where backlog.pool = ${pool} and truth.org_id is null order by org_id, priority for update of backlog),
    gone as (
      delete from jobs.shares as backlog using over
      where backlog.pool = over.pool and backlog.org_id = over.org_id and backlog.priority = over.priority
        and over.begun = over.begun_before)
    update jobs.shares as backlog set waiting = 0, begun_before = backlog.begun from over
    where backlog.pool = over.pool and backlog.org_id = over.org_id and backlog.priority = over.priority
      and over.begun <> over.begun_before`)
}

const Waiting = Backlog.pick({ pool: true, waiting: true })

/** Returns the number of an organisation’s due jobs per pool. Omits pools without such jobs. */
export async function countWaiting(db: Db, orgId: string): Promise<readonly z.infer<typeof Waiting>[]> {
  return await db.any(sql.type(Waiting)`
    select pool, sum(waiting)::integer as waiting from jobs.shares
    where org_id = ${orgId} group by pool having sum(waiting) > 0 order by pool`)
}
