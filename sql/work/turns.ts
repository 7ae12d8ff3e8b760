import { z } from 'zod'
import { notClosing } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { type Attempt, table } from './jobs.ts'
import { table as settings } from './settings.ts'

/** Job that can be put in the queue now, apart from its rate. */
export const Queued = table.Row.pick({
  id: true,
  org_id: true,
  turn: true,
  rate_key: true,
  rate_limit: true,
  rate_per: true,
})

export type Queued = z.infer<typeof Queued>

/** Entry of the queue: a job and its turn. */
export interface Turn {
  id: string
  turn: number
}

/** Marks jobs as put in the queue. */
export async function markReady(tx: Db, turns: readonly (Turn & { queue_id: number })[]): Promise<void> {
  if (turns.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update work.jobs as j set phase = 'ready', status = 'waiting', turn = g.turn, queue_id = g.queue_id
    from json_to_recordset(${JSON.stringify(turns)}::json) as g (id uuid, turn integer, queue_id bigint)
    where j.id = g.id`)
}

/** Makes jobs wait until their slot of the rate. */
export async function markPaced(tx: Db, jobs: readonly { id: string; wait_ms: number }[]): Promise<void> {
  if (jobs.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update work.jobs as j set phase = 'paced', status = 'waiting', queue_id = null,
      due_at = clock_timestamp() + g.wait_ms * interval '1 ms'
    from json_to_recordset(${JSON.stringify(jobs)}::json) as g (id uuid, wait_ms float8)
    where j.id = g.id`)
}

/** Makes jobs wait for a place of their concurrency key. */
export async function markHeld(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update work.jobs set phase = 'held', status = 'waiting', queue_id = null
    where id = any(${sql.array([...ids], 'uuid')})`)
}

export const Due = Queued.extend(table.Row.pick({ phase: true, concurrency_key: true, concurrency_limit: true }).shape)

export type Due = z.infer<typeof Due>

/** Locks the longest due jobs until the transaction ends, except those that another worker has locked. */
export async function lockDue(tx: Db, limit: number): Promise<readonly Due[]> {
  return await tx.any(sql.prepared('work.lock_due', Due)`
    select ${getColumns(Due)} from work.jobs as j
    where phase in ('timed', 'paced') and due_at <= now() and ${notClosing('j')}
    order by due_at limit ${limit} for no key update skip locked`)
}

/**
 * Makes due jobs of closing organisations wait for ten minutes, so that they are not read at each check. They start if
 * the closure is cancelled.
 */
export async function postponeClosing(tx: Db, limit: number): Promise<void> {
  await tx.query(sql.prepared('work.postpone_closing', z.object({}))`
    update work.jobs set due_at = now() + interval '10 minutes' where id = any(array(
      select id from work.jobs as j
      where phase in ('timed', 'paced') and due_at <= now() and not (${notClosing('j')})
      order by due_at limit ${limit} for update skip locked))`)
}

/** Returns the milliseconds until the next job is due. Null if none waits for its time. */
export async function findNextDueMs(db: Db): Promise<number | null> {
  return await db.maybeOneFirst(sql.prepared('work.next_due', z.object({ ms: z.number() }))`
    select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as ms from work.jobs
    where phase in ('timed', 'paced') order by due_at limit 1`)
}

export const Begun = table.Row.pick({
  id: true,
  org_id: true,
  url: true,
  method: true,
  headers: true,
  body: true,
  body_type: true,
  turn: true,
  retries: true,
  timeout_ms: true,
  attempts: true,
  origin_kind: true,
  scheduled_for: true,
  group_name: true,
  origin_id: true,
}).extend({
  secret: settings.Row.shape.secret,
  previous_secret: settings.Row.shape.previous_secret,
})

export type Begun = z.infer<typeof Begun>

const begun = getColumns(Begun.omit({ secret: true, previous_secret: true }), 'j')

/**
 * Returns the jobs whose turn it is. It writes nothing, so a job whose worker is killed has the same state as before. An
 * older entry of the queue, or one of a job that was cancelled, returns nothing. `offset 0` makes Postgres find each job
 * by its ID. Otherwise it could read all waiting jobs for each batch.
 */
export async function begin(db: Db, turns: readonly Turn[]): Promise<readonly Begun[]> {
  return await db.any(sql.prepared('work.begin', Begun)`
    select ${begun}, s.secret, case when s.previous_until > now() then s.previous_secret end as previous_secret
    from json_to_recordset(${JSON.stringify(turns)}::json) as g (id uuid, turn integer)
    cross join lateral (select * from work.jobs where id = g.id offset 0) as j
    join work.settings as s on s.org_id = j.org_id
    where j.turn = g.turn and j.phase in ('ready', 'running')`)
}

/**
 * Shows jobs as running whose requests take longer than a moment. Locked jobs are skipped: their results are recorded
 * now, and two statements that wait for each other’s jobs would be a deadlock. No index has the phase as `case`, so
 * Postgres does not read all waiting jobs.
 */
export async function markRunning(db: Db, calls: readonly (Turn & { at: string })[]): Promise<void> {
  await db.query(sql.prepared('work.mark_running', z.object({}))`
    with free as materialized (
      select j.id, g.at
      from json_to_recordset(${JSON.stringify(calls)}::json) as g (id uuid, turn integer, at timestamptz)
      join work.jobs as j on j.id = g.id and j.turn = g.turn and case j.phase when 'ready' then true else false end
      for no key update of j skip locked)
    update work.jobs as j set phase = 'running', status = 'running', started_at = free.at
    from free where j.id = free.id`)
}

const Current = table.Row.pick({ id: true, turn: true })

/** Returns the turns among these that have not ended. The job of another turn has ended, and was perhaps replayed. */
export async function listCurrent(db: Db, turns: readonly Turn[]): Promise<readonly Turn[]> {
  const given = turns.map(({ id, turn }) => ({ id, turn }))
  return await db.any(sql.prepared('work.list_current', Current)`
    select j.id, j.turn from json_to_recordset(${JSON.stringify(given)}::json) as g (id uuid, turn integer)
    join work.jobs as j on j.id = g.id and j.turn = g.turn and j.phase <> 'ended'`)
}

const maxLogged = 50

/** The log of attempts with a further attempt. The oldest of too many attempts is removed. */
const logged = sql.fragment`case when g.attempt is null then j.attempt_log
  when jsonb_array_length(j.attempt_log) >= ${maxLogged} then (j.attempt_log - 0) || g.attempt
  else j.attempt_log || g.attempt end`

export interface Return extends Turn {
  /** Delay in milliseconds until the next attempt. */
  wait_ms: number
  /** The attempt that failed. Null if the server was not called, so that no attempt is used. */
  attempt: Attempt | null
}

const Returned = table.Row.pick({ id: true, org_id: true, concurrency_key: true })

/** Sets the facts of the last attempt. */
const lastAttempt = sql.fragment`attempt_log = ${logged},
  attempts = case when g.attempt is null then j.attempts else j.attempts + 1 end,
  started_at = case when g.attempt is null then j.started_at else (g.attempt ->> 'at')::timestamptz end,
  response_status = case when g.attempt is null then j.response_status else (g.attempt ->> 'response_status')::integer end`

/** Makes jobs wait for a further attempt, and returns them. Jobs that have ended, such as cancelled ones, stay ended. */
export async function returnMany(tx: Db, returns: readonly Return[]): Promise<readonly z.infer<typeof Returned>[]> {
  return await tx.any(sql.prepared('work.return_many', Returned)`
    update work.jobs as j
    set phase = 'timed', status = 'waiting', queue_id = null, has_place = false,
      due_at = now() + g.wait_ms * interval '1 ms', ${lastAttempt},
      error = case when g.attempt is null then j.error else g.attempt ->> 'error' end
    from json_to_recordset(${JSON.stringify(returns)}::json)
      as g (id uuid, turn integer, wait_ms float8, attempt jsonb)
    where j.id = g.id and j.turn = g.turn and j.phase in ('ready', 'running')
    returning ${getColumns(Returned, 'j')}`)
}

export interface End {
  id: string
  /** Turn that ended. Null for a job that ends in any phase. */
  turn: number | null
  status: 'completed' | 'failed' | 'cancelled' | 'skipped'
  attempt: Attempt | null
  /** Reason of a failure without an attempt. */
  error: string | null
  /** JSON that the server returned, for jobs of flows. */
  result?: string | null
}

export const Ended = table.Row.pick({
  id: true,
  org_id: true,
  url: true,
  method: true,
  status: true,
  concurrency_key: true,
  dedupe_key: true,
  group_name: true,
  origin_kind: true,
  origin_id: true,
  attempts: true,
  response_status: true,
  error: true,
  created_at: true,
  ended_at: true,
})

export type Ended = z.infer<typeof Ended>

/** Ends jobs that have not ended yet, and returns them. */
export async function endMany(tx: Db, ends: readonly End[]): Promise<readonly Ended[]> {
  return await tx.any(sql.prepared('work.end_many', Ended)`
    update work.jobs as j
    set phase = 'ended', status = g.status, queue_id = null, has_place = false, ended_at = now(), ${lastAttempt},
      error = case when g.status = 'completed' then null else coalesce(g.error, g.attempt ->> 'error', j.error) end
    from json_to_recordset(${JSON.stringify(ends)}::json)
      as g (id uuid, turn integer, status text, attempt jsonb, error text)
    where j.id = g.id and j.phase <> 'ended' and (g.turn is null or (j.turn = g.turn and j.phase in ('ready', 'running')))
    returning ${getColumns(Ended, 'j')}`)
}
