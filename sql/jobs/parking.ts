import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

/** Returns the parked due time of a job, for the time in which its task is paused. Same calculation as `jobs.park`. */
export const parkedAt = (runAt: Date): Date => new Date(runAt.getTime() + 8_766_000 * 3_600_000)

const ParkingCounts = z.object({ parked: z.number(), unparked: z.number() })

/**
 * Parks up to `limit` waiting jobs of paused tasks. Restores the due time of up to `limit` parked jobs whose tasks are
 * not paused. Skips locked jobs. Several workers and operators can run it at the same time with the same result.
 */
export async function applyPauses(db: Db, queue: Queue, limit: number): Promise<z.infer<typeof ParkingCounts>> {
  return await db.one(sql.type(ParkingCounts)`
    with paused as materialized (
      select t.id from jobs.pauses as p join ${tasksTable(queue)} as t on t.identifier = p.task where p.pool = ${queue.pool}),
    stray as materialized (
      select id from ${jobsTable(queue)} where is_available and not jobs.parked(run_at) and task_id in (select id from paused)
      limit ${limit} for update skip locked),
    free as materialized (
      select id from ${jobsTable(queue)} where is_available and jobs.parked(run_at) and task_id not in (select id from paused)
      limit ${limit} for update skip locked),
    parked as (
      update ${jobsTable(queue)} set run_at = jobs.park(run_at) where id = any(array(select id from stray)) returning id),
    unparked as (
      update ${jobsTable(queue)} set run_at = jobs.unpark(run_at) where id = any(array(select id from free)) returning id),
    counted as (select (select count(*) from parked) as parked, (select count(*) from unparked) as unparked),
    woken as materialized (
      select jobs.wake(${queue.schema}, unparked::integer) from counted where unparked > 0)
    select parked, unparked from counted left join woken on true`)
}

export async function countMisplaced(db: Db, queue: Queue): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    with paused as materialized (
      select t.id from jobs.pauses as p join ${tasksTable(queue)} as t on t.identifier = p.task where p.pool = ${queue.pool})
    select count(*) from ${jobsTable(queue)}
    where is_available and jobs.parked(run_at) <> (task_id in (select id from paused))`)
}
