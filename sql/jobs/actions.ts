import { z } from 'zod'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { State, stateOf } from './filter.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

const LockedJob = z.object({
  id: z.number(),
  task: z.string(),
  state: State,
  envelope: z.unknown(),
  run_id: z.string().nullable(),
  run_state: z.string().nullable(),
})

export type LockedJob = z.infer<typeof LockedJob>

/** Locks jobs of a queue in the order of their IDs. Omits jobs that no longer exist. */
export async function lock(tx: Db, queue: Queue, ids: readonly number[]): Promise<readonly LockedJob[]> {
  await tx.query(sql.type(z.object({ id: z.number() }))`
    select id from ${jobsTable(queue)} where id = any(${sql.array(ids, 'int8')}) order by id for update`)
  return await tx.any(sql.type(LockedJob)`
    select q.id, t.identifier as task, ${stateOf(queue)} as state, q.payload as envelope, r.id as run_id, r.state as run_state
    from ${jobsTable(queue)} as q join ${tasksTable(queue)} as t on t.id = q.task_id
    left join jobs.runs as r on r.id = (q.payload ->> 'run')::uuid
    where q.id = any(${sql.array(ids, 'int8')}) order by q.id`)
}

export interface Retry {
  id: number
  attempts: number
}

/** Restores all attempts of locked failed jobs, and makes them due at `at`. */
export async function retry(tx: Db, queue: Queue, retries: readonly Retry[], at: Date): Promise<void> {
  const rows = retries.map(({ id, attempts }) => [id, attempts])
  const ids = retries.map(({ id }) => id)
  await tx.query(sql.typeAlias('void')`
    update ${jobsTable(queue)} as q set attempts = 0, max_attempts = greatest(q.max_attempts, retry.attempts),
      run_at = ${at.toISOString()}, last_error = null, updated_at = now()
    from ${sql.unnest(rows, ['int8', 'int2'])} as retry (id, attempts)
    where ${byKey('q.id', 'retry.id', allIn(ids, 'int8'))} and q.locked_at is null and q.attempts >= q.max_attempts`)
  await tx.query(sql.typeAlias('void')`
    delete from jobs.crashes where pool = ${queue.pool} and job_id = any(${sql.array(ids, 'int8')})`)
}

/** Sets runs to waiting if they ended without success or no worker has ended them. */
export async function reopenRuns(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update jobs.runs set state = 'waiting', progress = 0, error = null, result = null, finished_at = null,
      cancel_requested_at = null, discarded_at = null, attempt_token = null
    where id = any(${sql.array(ids, 'uuid')}) and state <> 'done'`)
}

export async function bindRun(tx: Db, id: string, jobId: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`update jobs.runs set job_id = ${jobId} where id = ${id}`)
}

/** Locks a run. Returns false if it does not exist. */
export async function lockRun(tx: Db, id: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: z.string() }))`select id from jobs.runs where id = ${id} for update`)
}

export async function remove(tx: Db, queue: Queue, ids: readonly number[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from ${jobsTable(queue)} where id = any(${sql.array(ids, 'int8')}) and locked_at is null`)
}

/** Ends the waiting runs of cancelled jobs, and stores the payloads of the jobs in the runs. */
export async function cancelRuns(tx: Db, runs: readonly { id: string; envelope: unknown }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update jobs.runs as r set state = 'cancelled', cancel_requested_at = coalesce(r.cancel_requested_at, now()),
      finished_at = now(), envelope = c.envelope
    from json_to_recordset(${JSON.stringify(runs)}::json) as c (id uuid, envelope json)
    where ${byKey(
      'r.id',
      'c.id',
      allIn(
        runs.map(({ id }) => id),
        'uuid',
      ),
    )} and r.state = 'waiting'`)
}

export async function discardRuns(tx: Db, runs: readonly { id: string; envelope: unknown }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update jobs.runs as r set discarded_at = now(), envelope = d.envelope, ${failed}
    from json_to_recordset(${JSON.stringify(runs)}::json) as d (id uuid, envelope json)
    where ${byKey(
      'r.id',
      'd.id',
      allIn(
        runs.map(({ id }) => id),
        'uuid',
      ),
    )} and r.state in ('failed', 'waiting', 'running')`)
}

const failed = sql.fragment`state = 'failed', attempt_token = null, finished_at = coalesce(finished_at, now())`

/**
 * Marks a run as discarded. The run must have failed or have no recorded end, and its job must have left the queue.
 * Returns false otherwise.
 */
export async function discardRun(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update jobs.runs set discarded_at = now(), ${failed}
    where id = ${id} and state in ('failed', 'waiting', 'running') and discarded_at is null`)
  return rowCount > 0
}

/** Changes the due time of locked jobs. Jobs of a paused task stay parked until the task is resumed. */
export async function reschedule(tx: Db, queue: Queue, ids: readonly number[], at: Date): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update ${jobsTable(queue)} set updated_at = now(),
      run_at = case when jobs.parked(run_at) then jobs.park(${at.toISOString()}) else ${at.toISOString()}::timestamptz end
    where id = any(${sql.array(ids, 'int8')}) and locked_at is null and attempts < max_attempts`)
}

/** Wakes the workers of a queue for jobs that became due without being added. */
export async function wake(tx: Db, queue: Queue, jobs: number): Promise<void> {
  await tx.query(sql.type(z.object({ wake: z.unknown() }))`select jobs.wake(${queue.schema}, ${jobs})`)
}
