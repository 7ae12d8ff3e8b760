import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

const DeadJob = z.object({ id: z.number(), task: z.string(), envelope: z.unknown(), error: z.string().nullable() })

export type DeadJob = z.infer<typeof DeadJob>

/**
 * Returns the waiting or running jobs of `queue/notify-dead` in the core pool’s queue, which notify tasks of their
 * failed jobs.
 */
const notices = (core: Queue) => sql.fragment`
  select n.id, n.locked_at is not null as running, n.payload #>> '{payload,job}' as job, n.payload #>> '{payload,envelope,run}' as run
  from ${jobsTable(core)} as n
  where n.task_id = (select id from ${tasksTable(core)} where identifier = 'queue/notify-dead')
    and (n.locked_at is not null or n.attempts < n.max_attempts)`

/** Locks up to `limit` failed jobs whose runs have not ended and for which no notice will notify the task. */
export async function lockDead(tx: Db, queue: Queue, core: Queue, limit: number): Promise<readonly DeadJob[]> {
  return await tx.any(sql.type(DeadJob)`
    with notified as materialized (${notices(core)})
    select q.id, t.identifier as task, q.payload as envelope, q.last_error as error
    from ${jobsTable(queue)} as q join ${tasksTable(queue)} as t on t.id = q.task_id
    join jobs.runs as r on r.id = (q.payload ->> 'run')::uuid
    where not q.is_available and q.locked_at is null and r.state in ('waiting', 'running')
      and not exists (select from notified where notified.run = r.id::text)
    order by q.id limit ${limit} for update of q skip locked`)
}

export async function countRunsWithoutJob(db: Db, queues: readonly Queue[]): Promise<number> {
  const gone = queues.map(
    (queue) => sql.fragment`
      select count(*) as runs from jobs.runs as r where r.pool = ${queue.pool} and r.state in ('waiting', 'running')
        and not exists (select from ${jobsTable(queue)} as q where q.id = r.job_id)`,
  )
  return await db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select sum(runs)::int8 as count from (${sql.join(gone, sql.fragment` union all `)}) as gone`)
}

/** Fails a pool’s open runs whose job is no longer in the queue. The payload is lost with the job. */
export async function failRunsWithoutJob(db: Db, queue: Queue): Promise<number> {
  // A job and its run are created together, and a run ends before its job leaves the queue. So an open run always has a
  // job.
  const { rowCount } = await db.query(sql.type(z.object({ id: z.string() }))`
    with gone as (
      update jobs.runs as r set state = 'failed', error = 'its job is gone from the queue', attempt_token = null,
        finished_at = now()
      where r.pool = ${queue.pool} and r.state in ('waiting', 'running') and not exists (
        select from ${jobsTable(queue)} as q where q.id = r.job_id and q.payload ->> 'run' = r.id::text)
      returning id, asked),
    noted as (
      update jobs.attempts as a set ended_at = now(), outcome = 'lost' from gone where a.run_id = gone.id and a.ended_at is null),
    notified as materialized (select pg_notify('jobs_answers', id::text) from gone where asked)
    select id from gone left join notified on true group by id`)
  return rowCount
}

const DeadNotice = z.object({
  id: z.number(),
  running: z.boolean(),
  job: z.string().nullable(),
  run: z.string().nullable(),
})

export type DeadNotice = z.infer<typeof DeadNotice>

/** Locks the notices of jobs, by the jobs’ names and runs. `running` is the notices that have already started. */
export async function lockNotices(
  tx: Db,
  core: Queue,
  names: readonly string[],
  runs: readonly string[],
): Promise<readonly DeadNotice[]> {
  return await tx.any(sql.type(DeadNotice)`
    ${notices(core)} and (n.payload #>> '{payload,job}' = any(${sql.array([...names], 'text')})
      or n.payload #>> '{payload,envelope,run}' = any(${sql.array([...runs], 'text')})) for update`)
}
