import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import { jobsTable, tasksTable } from '#sql/jobs/graphile-schema.ts'
import { queues } from '#tasks/pools.ts'

const OpenWork = z.object({ what: z.string(), count: z.number() })

/**
 * Returns jobs that wait or run, unfinished runs and attempts, and open items. All are empty when the work is finished.
 */
async function look(db: Db): Promise<readonly z.infer<typeof OpenWork>[]> {
  const jobs = queues.map((queue) => {
    const table = jobsTable(queue)
    // Jobs that the product schedules for later, such as periodic tasks, do not count.
    return sql.fragment`
      select 'jobs held in ' || ${queue.pool} as what, count(*)::integer as count from ${table} where locked_by is not null
      union all select 'jobs waiting in ' || ${queue.pool}, count(*)::integer from ${table} as job
        join ${tasksTable(queue)} as task on task.id = job.task_id
        where locked_by is null and attempts < max_attempts
          and (task.identifier like 'chaos/%' or run_at <= now())`
  })
  const all = await db.any(sql.type(OpenWork)`
    ${sql.join(jobs, sql.fragment` union all `)}
    union all select 'runs not ended', count(*)::integer from jobs.runs where finished_at is null
    union all select 'attempts not ended', count(*)::integer from jobs.attempts where ended_at is null
    union all select 'items still open', count(*)::integer from chaos.items where state = 'open'`)
  return all.filter(({ count }) => count > 0)
}

export async function waitUntilIdle(db: Db, timeout: number): Promise<string[]> {
  const end = performance.now() + timeout
  for (;;) {
    const found = await look(db).catch((error: Error) => [{ what: error.message, count: 1 }])
    if (found.length === 0) return []
    if (performance.now() > end) return found.map(({ what, count }) => `${count} ${what}`)
    await pause(200)
  }
}
