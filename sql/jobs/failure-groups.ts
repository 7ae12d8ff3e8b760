import { z } from 'zod'
import { type Db, sql } from '../db.ts'

export const FailureGroup = z.object({
  fingerprint: z.string(),
  pool: z.string(),
  task: z.string(),
  attempts: z.number(),
  given_up: z.number(),
  jobs: z.number(),
  first_at: z.date(),
  last_at: z.date(),
  error: z.string(),
})

export type FailureGroup = z.infer<typeof FailureGroup>

export async function groups(
  db: Db,
  since: Date,
  { pool, task, limit = 100 }: { pool?: string | undefined; task?: string | undefined; limit?: number } = {},
): Promise<readonly FailureGroup[]> {
  return await db.any(sql.type(FailureGroup)`
    with grouped as (
      select fingerprint, pool, task, count(*) as attempts, count(*) filter (where final) as given_up,
        count(distinct job_id) as jobs, min(ended_at) as first_at, max(ended_at) as last_at
      from jobs.failures
      where ended_at >= ${since.toISOString()}
        ${pool ? sql.fragment`and pool = ${pool}` : sql.fragment``} ${task ? sql.fragment`and task = ${task}` : sql.fragment``}
      group by fingerprint, pool, task order by max(ended_at) desc limit ${limit})
    select g.*, (
      select error from jobs.failures as f
      where f.fingerprint = g.fingerprint and f.pool = g.pool and f.task = g.task and f.ended_at = g.last_at limit 1) as error
    from grouped as g order by g.last_at desc`)
}
