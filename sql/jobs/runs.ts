import type { QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { outsideText } from '#lib/outside-text.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { jobsOf } from './graphile-schema.ts'

/** A tracked job's lasting record. */
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

/** The parsed row. */
export type Run = z.infer<typeof Run>

/** Tracked jobs' lasting records. A failed job without its run could not be retried: a run stays at least as long. */
export const table = defineTable('jobs', 'runs', Run, {
  retention: days({ setting: 'FAILED_JOB_DAYS', atLeast: 30 }, 'finished_at'),
})

const columns = sql.fragment`id, task, pool, job_id, state, attempt, progress, result, error, created_at, started_at, finished_at`

const TouchedRow = z.object({ touched: z.number() })

/** Whether a statement found its row. */
const touched = async (db: Db, query: QuerySqlToken<typeof TouchedRow>) => (await db.query(query)).rowCount > 0

/** One run, whoever's it is. */
export async function find(db: Db, id: string): Promise<Run | null> {
  return await db.maybeOne(sql.type(Run)`select ${columns} from jobs.runs where id = ${id}`)
}

/** A job as a worker fetched it: the queue's schema, the job's id, and the name that the worker locks jobs under. */
export interface FetchedJob {
  queue: string
  jobId: number
  worker: string
}

/**
 * Begins an attempt under a new token: from here on no earlier attempt's writes take effect. Null when there is nothing to
 * do any more (done, failed or cancelled), or when the job is not that worker's any more: one that wakes from a freeze may
 * find the answer to an old fetch. `cancelled` when somebody asked to cancel the run.
 */
export async function begin(
  db: Db,
  id: string,
  token: string,
  { queue, jobId, worker }: FetchedJob,
): Promise<{ attempt: number; cancelled: boolean } | null> {
  // The lock keeps jobs.release from giving the job to another worker between this check and the attempt.
  return await db.maybeOne(sql.type(z.object({ attempt: z.number(), cancelled: z.boolean() }))`
    with locked as (
      select id from ${jobsOf({ schema: queue })} where id = ${jobId} and locked_by = ${worker} for share),
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

/** Locks a run for its owner's state writes; false when the attempt no longer owns it. */
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
  /** The job's payload; stored when it does not end as done, so that it can be inspected and tried again. */
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

/** Ends an attempt and notifies those who asked; false, and nothing written, when the attempt no longer owns the run. */
export async function end(db: Db, id: string, token: string, ending: Ending): Promise<boolean> {
  const state = stateAfter[ending.outcome]
  const final = state !== 'waiting'
  // An error that could not be written would be written for ever.
  const error = ending.error === undefined ? null : outsideText(ending.error)
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

/** Strikes the answer of a run that is done from its record. */
export async function forgetResult(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update jobs.runs set result = null where id = ${id} and state = 'done'`)
}

/** Writes how far an attempt is; a second one adds nothing until it is past the first. False when it no longer owns the run. */
export async function setProgress(db: Db, id: string, token: string, progress: number): Promise<boolean> {
  return await touched(
    db,
    sql.type(TouchedRow)`
    update jobs.runs set progress = greatest(progress, ${progress}::real)
    where id = ${id} and attempt_token = ${token} and state = 'running'
    returning 1 as touched`,
  )
}

/** Fails a run that no worker has locked (its worker died too often). */
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

/** Asks for a run to be cancelled, by the attempt under way or the next one; returns its state. */
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

/** Runs about a row that have not ended. */
export async function listOpen(db: Db, subject: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from jobs.runs where subject = ${subject} and state in ('waiting', 'running')`)
}

/** Whether a worker runs a job about a row now. */
export async function isWorkedOn(db: Db, subject: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from jobs.runs where subject = ${subject} and state = 'running'`)
}

/** Which of these runs somebody asked to cancel, or now belong to another attempt. */
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
