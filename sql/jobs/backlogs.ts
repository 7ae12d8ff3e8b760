import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { jobsOf } from './graphile-schema.ts'

/** What waits of an organisation in a pool at one priority; `begun` only ever grows. */
export const Share = z.object({
  pool: z.string(),
  org_id: Id,
  priority: z.number(),
  waiting: z.number(),
  begun: z.number(),
})

/** A row of `jobs.shares`. */
export type Share = z.infer<typeof Share>

/** An organisation's part of a pool. */
export type Part = Pick<Share, 'pool' | 'org_id'>

/** The name of the database, by which a process tells what it counts of several apart. */
export async function databaseName(db: Db): Promise<string> {
  return await db.oneFirst(sql.type(z.object({ name: z.string() }))`select current_database() as name`)
}

/** What is kept of some parts, and of which database. */
export async function find(db: Db, parts: readonly Part[]): Promise<{ database: string; shares: Share[] }> {
  const rows = parts.map(({ pool, org_id }) => [pool, org_id])
  const found = await db.any(sql.type(z.object({ database: z.string(), share: Share.nullable() }))`
    select current_database() as database, case when share.pool is not null then to_json(share) end as share
    from (values (1)) as always left join (
      ${sql.unnest(rows, ['text', 'uuid'])} as part (pool, org_id) join jobs.shares as share using (pool, org_id)) on true`)
  return { database: found[0]?.database ?? '', shares: found.flatMap(({ share }) => share ?? []) }
}

/** Adds changes to what is kept, in one order everywhere, so that two processes never wait for each other in a ring. */
export async function add(db: Db, changes: readonly Share[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(({ pool, org_id, priority, waiting, begun }) => [pool, org_id, priority, waiting, begun])
  await db.query(sql.typeAlias('void')`
    insert into jobs.shares as share (pool, org_id, priority, waiting, begun)
    select * from ${sql.unnest(rows, ['text', 'uuid', 'int2', 'int4', 'int8'])} as change order by 1, 2, 3
    on conflict (pool, org_id, priority) do update
    set waiting = share.waiting + excluded.waiting, begun = share.begun + excluded.begun`)
}

/**
 * Counts what really waits in a pool's queue, what is held back with its task included, and keeps that; rows of which
 * nothing waits go once nothing has begun since the last count. `levelSize` divides the queue's priority column.
 */
export async function recount(db: Db, pool: string, queue: string, levelSize: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with truth as materialized (
      select (payload ->> 'org')::uuid as org_id,
        ((priority % ${levelSize}::integer + ${levelSize}::integer) % ${levelSize}::integer)::smallint as priority, count(*)::integer as waiting
      from ${jobsOf({ schema: queue })}
      where is_available and jobs.unpark(run_at) <= now() and payload ->> 'org' is not null group by 1, 2),
    kept as (
      insert into jobs.shares as share (pool, org_id, priority, waiting)
      select ${pool}, org_id, priority, waiting from truth order by 1, 2, 3
      on conflict (pool, org_id, priority) do update set waiting = excluded.waiting, begun_before = share.begun),
    over as materialized (
      select share.* from jobs.shares as share left join truth using (org_id, priority)
      where share.pool = ${pool} and truth.org_id is null order by org_id, priority for update of share),
    gone as (
      delete from jobs.shares as share using over
      where share.pool = over.pool and share.org_id = over.org_id and share.priority = over.priority
        and over.begun = over.begun_before)
    update jobs.shares as share set waiting = 0, begun_before = share.begun from over
    where share.pool = over.pool and share.org_id = over.org_id and share.priority = over.priority
      and over.begun <> over.begun_before`)
}
