import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { counts, TaskCounts } from './counts.ts'
import type { Queue } from './graphile-schema.ts'

export const TaskOverview = TaskCounts.extend({
  oldest_s: z.number().nullable(),
  /** Number of completed jobs per minute, over the last four minutes and the current minute. */
  done_per_minute: z.number(),
  failed_per_minute: z.number(),
  rejected_per_minute: z.number(),
  paused: z.boolean(),
})

export type TaskOverview = z.infer<typeof TaskOverview>

export type PoolOverview = Omit<TaskOverview, 'task'> & { tasks: TaskOverview[] }

/**
 * Returns the state of every pool in the order of `queues`. The tasks of a pool are the tasks that have jobs, recently
 * had jobs, or are paused.
 */
export async function readOverview(db: Db, queues: readonly Queue[]): Promise<PoolOverview[]> {
  const rows = await db.any(sql.type(TaskOverview)`
    with counted as (${counts(queues)}),
    since as (
      select date_trunc('minute', now()) - interval '4 minutes' as start, 4 + extract(second from now()) / 60 as minutes),
    rates as (
      select pool, task, sum(done) / min(minutes) as done, sum(failed + retried) / min(minutes) as failed,
        sum(rejected) / min(minutes) as rejected
      from jobs.minutes, since where at >= start
      group by pool, task),
    named as (
      select pool, task from counted union select pool, task from rates union select pool, task from jobs.pauses where task <> '')
    select n.pool, n.task,
      case when p.task is null then coalesce(c.due, 0) else 0 end as waiting,
      case when p.task is null then coalesce(c.later, 0) else 0 end as scheduled,
      coalesce(c.parked, 0) + case when p.task is null then 0 else coalesce(c.due + c.later, 0) end as held,
      coalesce(c.running, 0) as running, coalesce(c.failed, 0) as failed,
      case when p.task is null and c.oldest is not null then greatest(extract(epoch from now() - c.oldest), 0)::float8 end as oldest_s,
      coalesce(r.done, 0)::float8 as done_per_minute, coalesce(r.failed, 0)::float8 as failed_per_minute,
      coalesce(r.rejected, 0)::float8 as rejected_per_minute,
      p.task is not null as paused
    from named as n
    left join counted as c on c.pool = n.pool and c.task = n.task
    left join rates as r on r.pool = n.pool and r.task = n.task
    left join jobs.pauses as p on p.pool = n.pool and p.task = n.task
    order by n.pool, n.task`)
  const paused = new Set(
    await db.anyFirst(sql.type(z.object({ pool: z.string() }))`
    select pool from jobs.pauses where task = ''`),
  )
  return queues.map(({ pool }) => poolOf(pool, rows, paused.has(pool)))
}

function poolOf(pool: string, rows: readonly TaskOverview[], paused: boolean): PoolOverview {
  const tasks = rows.filter((row) => row.pool === pool)
  const sum = (count: (task: TaskOverview) => number) => tasks.reduce((total, task) => total + count(task), 0)
  const oldest = tasks.flatMap(({ oldest_s }) => (oldest_s === null ? [] : [oldest_s]))
  return {
    pool,
    waiting: sum((task) => task.waiting),
    scheduled: sum((task) => task.scheduled),
    held: sum((task) => task.held),
    running: sum((task) => task.running),
    failed: sum((task) => task.failed),
    oldest_s: oldest.length > 0 ? Math.max(...oldest) : null,
    done_per_minute: sum((task) => task.done_per_minute),
    failed_per_minute: sum((task) => task.failed_per_minute),
    rejected_per_minute: sum((task) => task.rejected_per_minute),
    paused,
    tasks,
  }
}
