import { z } from 'zod'
import { sql } from '../db.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

export const TaskCounts = z.object({
  pool: z.string(),
  task: z.string(),
  /** Due and not locked by a worker. */
  waiting: z.number(),
  /** Not due yet: scheduled or waiting for a retry. */
  scheduled: z.number(),
  /** Parked because their task is paused. */
  held: z.number(),
  /** Locked by a worker. Includes jobs that were fetched ahead. */
  running: z.number(),
  failed: z.number(),
})

export const counts = (queues: readonly Queue[]) => sql.join(queues.map(countsOf), sql.fragment` union all `)

const countsOf = (queue: Queue) => sql.fragment`
  select ${queue.pool}::text as pool, t.identifier as task, c.* from ${tasksTable(queue)} as t join (
    select q.task_id,
      (count(*) filter (where q.is_available and q.run_at <= now()))::integer as due,
      (count(*) filter (where q.is_available and q.run_at > now() and not jobs.parked(q.run_at)))::integer as later,
      (count(*) filter (where q.is_available and jobs.parked(q.run_at)))::integer as parked,
      (count(*) filter (where q.locked_at is not null))::integer as running,
      (count(*) filter (where not q.is_available and q.locked_at is null))::integer as failed,
      min(q.run_at) filter (where q.is_available and q.run_at <= now()) as oldest
    from ${jobsTable(queue)} as q group by q.task_id) as c on c.task_id = t.id`
