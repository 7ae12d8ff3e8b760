import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable, tasksTable } from './graphile-schema.ts'

export interface AgeingPass {
  pool: string
  queue: string
  afterMs: number
  /** Maximum number of jobs to age. If this number of aged jobs is already due, no job is aged. */
  most: number
  levelSize: number
  agedLevel: number
}

/**
 * Moves the oldest due jobs of a pool to the aged level, without changing their priority. Returns the number of moved
 * jobs. It reads the first jobs of each priority value in the index for claims: a few dozen rows, for any number of
 * waiting jobs. Jobs of paused tasks do not change.
 */
export async function age(db: Db, { pool, queue, afterMs, most, levelSize, agedLevel }: AgeingPass): Promise<number> {
  const jobs = jobsTable({ schema: queue })
  const old = sql.fragment`is_available and run_at <= now() - ${afterMs} * interval '1 millisecond'`
  const aged = await db.any(sql.type(z.object({ id: z.number() }))`
    with recursive paused as materialized (
      select t.id from ${tasksTable({ schema: queue })} as t join jobs.pauses as p on p.task = t.identifier
      where p.pool = ${pool}),
    heads as (
      (select priority from ${jobs} where is_available and priority >= 0 order by priority limit 1)
      union all
      select (select j.priority from ${jobs} as j where j.is_available and j.priority > heads.priority
        order by j.priority limit 1)
      from heads where heads.priority is not null),
    oldest as (
      select head.id from heads cross join lateral (
        select id, run_at from ${jobs} as j where ${old} and j.priority = heads.priority
          and j.task_id <> all (array(select id from paused)) order by run_at limit ${most}) as head
      where (select count(*) from (
        select from ${jobs} where is_available and priority < 0 and run_at <= now() limit ${most}) as waiting) < ${most}
      order by head.run_at limit ${most}),
    free as (
      select id from ${jobs} where id = any (array(select id from oldest)) and is_available for update skip locked)
    update ${jobs} as job
    set priority = ${levelSize}::integer * ${agedLevel}::integer + job.priority % ${levelSize}::integer
    where job.id = any (array(select id from free)) returning job.id`)
  return aged.length
}
