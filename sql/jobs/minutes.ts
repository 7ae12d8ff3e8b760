import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days, wholeHours } from '../retention.ts'
import { defineTable } from '../table.ts'

const AttemptCounts = z.object({
  pool: z.string(),
  task: z.string(),
  at: z.date(),
  done: z.number(),
  retried: z.number(),
  failed: z.number(),
  rejected: z.number(),
  returned: z.number(),
  wait_ms: z.number(),
  wait_max_ms: z.number(),
  run_ms: z.number(),
  run_max_ms: z.number(),
})

export const table = defineTable('jobs', 'minutes', AttemptCounts, { retention: wholeHours(48, 'at') })

export const hours = defineTable('jobs', 'hours', AttemptCounts, { retention: days(90, 'at') })

/** The results of a task’s attempts within one minute. Times are in milliseconds. */
export interface Minute {
  pool: string
  task: string
  at: number
  done: number
  retried: number
  failed: number
  rejected: number
  /** Number of attempts that ended as `Later`, were returned to the queue or were cancelled. */
  returned: number
  /** Sum and maximum of the waiting times since the due times, in milliseconds. */
  wait_ms: number
  wait_max_ms: number
  run_ms: number
  run_max_ms: number
}

/** Adds to the recorded minutes in the table’s order, so that processes cannot deadlock. */
export async function add(db: Db, minutes: readonly Minute[]): Promise<void> {
  if (minutes.length === 0) return
  const rows = minutes.map((minute) => ({ ...minute, at: new Date(minute.at).toISOString() }))
  await db.query(sql.typeAlias('void')`
    insert into jobs.minutes as m
      (pool, task, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms)
    select pool, task, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (pool text, task text, at timestamptz, done integer,
      retried integer, failed integer, rejected integer, returned integer, wait_ms bigint, wait_max_ms bigint, run_ms bigint,
      run_max_ms bigint)
    order by at, pool, task
    on conflict (at, pool, task) do update set done = m.done + excluded.done, retried = m.retried + excluded.retried,
      failed = m.failed + excluded.failed, rejected = m.rejected + excluded.rejected, returned = m.returned + excluded.returned,
      wait_ms = m.wait_ms + excluded.wait_ms, wait_max_ms = greatest(m.wait_max_ms, excluded.wait_max_ms),
      run_ms = m.run_ms + excluded.run_ms, run_max_ms = greatest(m.run_max_ms, excluded.run_max_ms)`)
}

export async function clock(db: Db): Promise<number> {
  return await db.oneFirst(sql.type(z.object({ now: z.number() }))`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`)
}

/** Aggregates the minutes since the last hour. Running it again changes nothing. */
export async function rollUp(db: Db): Promise<void> {
  // Late data from a disconnected worker is within the two hours that are aggregated again.
  await db.query(sql.typeAlias('void')`
    insert into jobs.hours
      (pool, task, at, done, retried, failed, rejected, returned, wait_ms, wait_max_ms, run_ms, run_max_ms)
    select pool, task, date_trunc('hour', at, 'UTC'), sum(done), sum(retried), sum(failed), sum(rejected), sum(returned),
      sum(wait_ms), max(wait_max_ms), sum(run_ms), max(run_max_ms)
    from jobs.minutes
    where at >= greatest(date_trunc('hour', now() - interval '47 hours', 'UTC'), (select max(at) - interval '2 hours' from jobs.hours))
    group by 1, 2, 3
    on conflict (at, pool, task) do update set done = excluded.done, retried = excluded.retried,
      failed = excluded.failed, rejected = excluded.rejected, returned = excluded.returned, wait_ms = excluded.wait_ms,
      wait_max_ms = excluded.wait_max_ms, run_ms = excluded.run_ms, run_max_ms = excluded.run_max_ms`)
}
