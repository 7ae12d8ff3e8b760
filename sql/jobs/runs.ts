import type { QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { jobsTable } from './graphile-schema.ts'
import type { LockedJob } from './locked-jobs.ts'

export const Run = z.object({
  id: Id,
  task: z.string(),
  pool: z.string(),
  job_id: z.number().nullable(),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'rejected', 'cancelled']),
  attempt: z.number(),
  progress: z.number(),
  result: z.unknown(),
  error: z.string().nullable(),
  created_at: z.date(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
})

export type Run = z.infer<typeof Run>

/**
 * Records of tracked jobs. A failed job cannot be retried without its run, so runs have at least the retention of
 * failed jobs.
 */
export const table = defineTable('jobs', 'runs', Run, {
  retention: days({ setting: 'FAILED_JOB_DAYS', atLeast: 30 }, 'finished_at'),
})

const columns = sql.fragment`id, task, pool, job_id, state, attempt, progress, result, error, created_at, started_at, finished_at`

const TouchedRow = z.object({ touched: z.number() })

const touched = async (db: Db, query: QuerySqlToken<typeof TouchedRow>) => (await db.query(query)).rowCount > 0

export async function find(db: Db, id: string): Promise<Run | null> {
  return await db.maybeOne(sql.type(Run)`select ${columns} from jobs.runs where id = ${id}`)
}

/**
 * Starts an attempt with a new token. From then on, writes of earlier attempts have no effect. Returns null if the run
 * has ended (done, failed or cancelled), or if the worker no longer owns the job, for example after a freeze. Returns
 * `cancelled` if a cancellation was requested.
 */
export async function begin(
  db: Db,
  id: string,
  token: string,
  { queue, jobId, worker }: LockedJob,
): Promise<{ attempt: number; cancelled: boolean } | null> {
  // The lock prevents jobs.release from giving the job to another worker between this check and the attempt.
  return await db.maybeOne(sql.type(z.object({ attempt: z.number(), cancelled: z.boolean() }))`
    with locked as (
      select id from ${jobsTable({ schema: queue })} where id = ${jobId} and locked_by = ${worker} for share),
    begun as (
      update jobs.runs set state = 'running', attempt = attempt + 1, attempt_token = ${token},
        started_at = coalesce(started_at, now())
      where id = ${id} and state in ('waiting', 'running') and exists (select from locked)
      returning attempt, cancel_requested_at is not null as cancelled),
    lost as (
      update jobs.attempts set ended_at = now(), outcome = 'lost'
      where run_id = ${id} and ended_at is null and exists (select from locked)),
    noted as (
      insert into jobs.attempts (run_id, attempt, worker) select ${id}, attempt, ${worker} from begun)
    select attempt, cancelled from begun`)
}

/** Locks a run for its owner’s writes. Returns false if the attempt no longer owns it. */
export async function lock(tx: Db, id: string, token: string): Promise<boolean> {
  return await touched(
    tx,
    sql.type(TouchedRow)`
    select 1 as touched from jobs.runs where id = ${id} and attempt_token = ${token} and state = 'running' for update`,
  )
}

export interface Ending {
  outcome: 'done' | 'retry' | 'failed' | 'rejected' | 'later' | 'handed_back' | 'cancelled'
  result?: unknown
  error?: string
  /** The job’s payload. If the run does not end as done, the payload is stored for inspection and retries. */
  envelope?: unknown
}

const stateAfter = {
  done: 'done',
  retry: 'waiting',
  failed: 'failed',
  rejected: 'rejected',
  later: 'waiting',
  handed_back: 'waiting',
  cancelled: 'cancelled',
}

/**
 * Ends an attempt and notifies waiting requests. If the attempt no longer owns the run, returns false and writes
 * nothing.
 */
export async function end(db: Db, id: string, token: string, ending: Ending): Promise<boolean> {
  const state = stateAfter[ending.outcome]
  const final = state !== 'waiting'
  // If Postgres rejected the error’s text, the write would be repeated forever.
  const error = ending.error === undefined ? null : toStorableText(ending.error)
  return await touched(
    db,
    sql.type(TouchedRow)`
    with ended as (
      update jobs.runs set state = ${state}, attempt_token = null, error = ${error},
        result = ${ending.result === undefined ? null : JSON.stringify(ending.result)}::jsonb,
        progress = ${ending.outcome === 'done' ? sql.fragment`1` : sql.fragment`progress`},
        finished_at = ${final ? sql.fragment`now()` : sql.fragment`null`},
        envelope = ${final && state !== 'done' && ending.envelope ? JSON.stringify(ending.envelope) : null}::json
      where id = ${id} and attempt_token = ${token} and state = 'running'
      returning id, attempt, asked),
    noted as (
      update jobs.attempts as a set ended_at = now(), outcome = ${ending.outcome}, error = ${error}
      from ended where a.run_id = ended.id and a.attempt = ended.attempt),
    notified as materialized (
      select pg_notify('jobs_answers', id::text) from ended where asked and ${final})
    select 1 as touched from ended left join notified on true`,
  )
}

export async function deleteResult(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update jobs.runs set result = null where id = ${id} and state = 'done'`)
}

/**
 * Writes the progress of an attempt. A lower value has no effect. Returns false if the attempt no longer owns the run.
 */
export async function setProgress(db: Db, id: string, token: string, progress: number): Promise<boolean> {
  return await touched(
    db,
    sql.type(TouchedRow)`
    update jobs.runs set progress = greatest(progress, ${progress}::real)
    where id = ${id} and attempt_token = ${token} and state = 'running'
    returning 1 as touched`,
  )
}

/** Fails a run that no worker has locked, because its worker died too often. */
export async function fail(db: Db, id: string, error: string, envelope: unknown): Promise<void> {
  await db.query(sql.type(z.object({ pg_notify: z.unknown() }))`
    with failed as (
      update jobs.runs set state = 'failed', error = ${error}, attempt_token = null, finished_at = now(),
        envelope = ${JSON.stringify(envelope)}::json
      where id = ${id} and state in ('waiting', 'running') returning id, asked),
    noted as (
      update jobs.attempts set ended_at = now(), outcome = 'lost' where run_id = ${id} and ended_at is null)
    select pg_notify('jobs_answers', id::text) from failed where asked`)
}

/** Requests the cancellation of a run by the current or next attempt. Returns its state. */
export async function requestCancel(
  tx: Db,
  id: string,
): Promise<Pick<Run, 'state' | 'task' | 'pool' | 'job_id'> | null> {
  return await tx.maybeOne(sql.type(Run.pick({ state: true, task: true, pool: true, job_id: true }))`
    with before as (select id, state, task, pool, job_id from jobs.runs where id = ${id} for update)
    update jobs.runs as r set cancel_requested_at = coalesce(r.cancel_requested_at, now())
    from before where r.id = before.id
    returning before.state, before.task, before.pool, before.job_id`)
}

export async function listOpen(db: Db, subject: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from jobs.runs where subject = ${subject} and state in ('waiting', 'running')`)
}

export async function isRunning(db: Db, subject: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from jobs.runs where subject = ${subject} and state = 'running'`)
}

/** Returns the runs that were cancelled or now belong to another attempt. */
export async function listInterrupted(
  db: Db,
  owned: { id: string; token: string }[],
): Promise<readonly { id: string; lost: boolean }[]> {
  return await db.any(sql.type(z.object({ id: Id, lost: z.boolean() }))`
    select owned.id, (r.id is null) as lost
    from json_to_recordset(${JSON.stringify(owned)}::json) as owned (id uuid, token uuid)
    left join jobs.runs as r on r.id = owned.id and r.attempt_token = owned.token and r.state = 'running'
    where r.id is null or r.cancel_requested_at is not null`)
}
