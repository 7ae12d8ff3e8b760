import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { State, stateOf } from './filter.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

const Row = z.object({
  pool: z.string(),
  task: z.string(),
  state: State,
  job_id: z.number(),
  key: z.string().nullable(),
  priority: z.number(),
  attempts: z.number(),
  max_attempts: z.number(),
  error: z.string().nullable(),
  envelope: z.unknown(),
  created_at: z.date(),
  due_at: z.date(),
  locked_at: z.date().nullable(),
  worker: z.object({ host: z.string(), pid: z.number(), state: z.string() }).nullable(),
})

export type QueueRow = z.infer<typeof Row>

const Run = z.object({
  id: Id,
  pool: z.string(),
  task: z.string(),
  job_id: z.number().nullable(),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'rejected', 'cancelled']),
  org_id: Id.nullable(),
  subject: Id.nullable(),
  request_id: z.string().nullable(),
  attempt: z.number(),
  progress: z.number(),
  error: z.string().nullable(),
  result: z.unknown(),
  envelope: z.unknown(),
  cancel_requested_at: z.date().nullable(),
  discarded_at: z.date().nullable(),
  created_at: z.date(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
})

export type WholeRun = z.infer<typeof Run>

const Attempt = z.object({
  attempt: z.number(),
  host: z.string().nullable(),
  pid: z.number().nullable(),
  started_at: z.date(),
  ended_at: z.date().nullable(),
  outcome: z.string().nullable(),
  error: z.string().nullable(),
})

export type JobAttempt = z.infer<typeof Attempt>

export async function findRow(db: Db, queue: Queue, jobId: number): Promise<QueueRow | null> {
  return await db.maybeOne(sql.type(Row)`
    select ${queue.pool} as pool, t.identifier as task, ${stateOf(queue)} as state, q.id as job_id, q.key,
      q.priority::integer, q.attempts::integer, q.max_attempts::integer, q.last_error as error, q.payload as envelope,
      q.created_at, jobs.unpark(q.run_at) as due_at, q.locked_at,
      case when q.locked_by is not null then
        json_build_object('host', coalesce(w.host, q.locked_by), 'pid', coalesce(w.pid, 0), 'state', coalesce(w.state, 'unknown'))
      end as worker
    from ${jobsTable(queue)} as q join ${tasksTable(queue)} as t on t.id = q.task_id
    left join jobs.workers as w on w.locked_by = q.locked_by where q.id = ${jobId}`)
}

const runColumns = sql.fragment`id, pool, task, job_id, state, org_id, subject, request_id, attempt, progress::float8, error,
  result, envelope, cancel_requested_at, discarded_at, created_at, started_at, finished_at`

export async function findRun(db: Db, id: string): Promise<WholeRun | null> {
  return await db.maybeOne(sql.type(Run)`select ${runColumns} from jobs.runs where id = ${id}`)
}

/** Returns the last run of a job, even if the job has left the queue. */
export async function findRunOfJob(db: Db, pool: string, jobId: number): Promise<WholeRun | null> {
  return await db.maybeOne(sql.type(Run)`
    select ${runColumns} from jobs.runs where pool = ${pool} and job_id = ${jobId} order by id desc limit 1`)
}

export async function attemptsOf(db: Db, runId: string, limit = 100): Promise<readonly JobAttempt[]> {
  return await db.any(sql.type(Attempt)`
    select a.attempt, w.host, w.pid, a.started_at, a.ended_at, a.outcome, a.error
    from jobs.attempts as a left join jobs.workers as w on w.locked_by = a.worker
    where a.run_id = ${runId} order by a.attempt desc limit ${limit}`)
}

export async function failuresOf(db: Db, pool: string, jobId: number, limit = 100): Promise<readonly JobAttempt[]> {
  return await db.any(sql.type(Attempt)`
    select f.attempt, w.host, w.pid, f.started_at, f.ended_at, case when f.final then 'failed' else 'retry' end as outcome,
      f.error
    from jobs.failures as f left join jobs.workers as w on w.locked_by = f.worker
    where f.pool = ${pool} and f.job_id = ${jobId} order by f.ended_at desc limit ${limit}`)
}
