import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { outsideText } from '#lib/outside-text.ts'
import { type Db, sql } from '../db.ts'
import { wake } from './actions.ts'
import { jobsOf, type Queue } from './graphile-schema.ts'

/** A job about to be added: the task's name, its payload column, and how it waits. */
export interface Spec {
  task: string
  payload: unknown
  attempts: number
  at?: Date | undefined
  /** At most one waiting job has this key; adding another replaces it. */
  key?: string | undefined
  /** Lower runs first; -32768 to 32767. */
  priority?: number | undefined
}

/** The jobs of `specs` as the queue's own function takes them. */
function jobSpecs(queue: string, specs: Spec[]) {
  const rows = specs.map((s) => ({
    ...s,
    at: s.at?.toISOString() ?? null,
    key: s.key ?? null,
    priority: s.priority ?? null,
  }))
  return sql.fragment`(
    select array_agg(row(s.task, s.payload, null, s.at, s.attempts, s.key, s.priority, null)
      ::${sql.identifier([queue, 'job_spec'])} order by s.ordinal)
    from rows from (json_to_recordset(${JSON.stringify(rows)}::json) as
      (task text, payload json, at timestamptz, attempts smallint, key text, priority smallint))
      with ordinality as s (task, payload, at, attempts, key, priority, ordinal))`
}

const AddedJob = z.object({ id: z.coerce.number(), key: z.string().nullable(), replaced: z.boolean() })

/** A job that was added, and whether it took the place of one that waited under its key. */
export type AddedJob = Pick<z.infer<typeof AddedJob>, 'id' | 'replaced'>

/** Adds jobs to a pool's queue in one statement and one notification; returns them in the order given. */
export async function addMany(db: Db, queue: string, specs: Spec[]): Promise<readonly AddedJob[]> {
  if (specs.length === 0) return []
  const rows = await db.any(sql.prepared(`${queue}.add_many`, AddedJob)`
    select id, key, revision > 0 as replaced from ${sql.identifier([queue, 'add_jobs'])}(${jobSpecs(queue, specs)})`)
  if (rows.length === specs.length) return rows
  const unkeyed = rows.filter(({ key }) => key === null)
  const keyed = new Map<string | null, AddedJob>(rows.map((row) => [row.key, row]))
  const left = unadded(specs, keyed)
  const later = await addMany(db, queue, left)
  for (const [i, { key }] of left.entries()) keyed.set(key as string, later[i] as AddedJob)
  return specs.map(({ key }) => (key ? keyed.get(key) : unkeyed.shift()) as AddedJob)
}

/**
 * The jobs that the queue's function has passed over: it does so with one whose key belongs to a job that a worker fetches
 * at that moment. By its return the fetch is committed, so that the next call finds that job locked and adds another.
 */
const unadded = (specs: readonly Spec[], added: ReadonlyMap<string | null, unknown>): Spec[] =>
  specs.filter(({ key }) => key && !added.has(key))

/** What is recorded of a run beside its job. */
export interface NewRun {
  id: string
  task: string
  pool: string
  orgId: string | undefined
  /** The row the work is about. */
  subject: string | undefined
  requestId: string | undefined
  asked: boolean
}

/**
 * Adds jobs and their runs in one statement, so that no worker can fetch a job whose run is not there yet. Each job's
 * payload names its run; the run of a waiting job whose key is taken over ends as cancelled. Returns the runs whose job took
 * the place of one that waited.
 */
export async function addTracked(db: Db, queue: string, specs: Spec[], runs: NewRun[]): Promise<readonly string[]> {
  if (specs.length === 0) return []
  const rows = await db.any(sql.type(z.object({ id: Id, replaced: z.boolean() }))`
    with job as materialized (
      select id, payload, revision from ${sql.identifier([queue, 'add_jobs'])}(${jobSpecs(queue, specs)})),
    added as (
      insert into jobs.runs (id, task, pool, job_id, org_id, subject, request_id, asked)
      select run.id, run.task, run.pool, job.id, run."orgId", run.subject, run."requestId", run.asked
      from job join json_to_recordset(${JSON.stringify(runs)}::json) as run
        (id uuid, task text, pool text, "orgId" uuid, subject uuid, "requestId" text, asked boolean)
        on run.id = (job.payload ->> 'run')::uuid
      returning id, pool, job_id),
    ended as (
      update jobs.runs as replaced set state = 'cancelled', finished_at = now(), error = 'another job took its key'
      from added where ${specs.some(({ key }) => key)} and replaced.state = 'waiting'
        and replaced.pool = added.pool and replaced.job_id = added.job_id and replaced.id <> added.id)
    select (payload ->> 'run')::uuid as id, revision > 0 as replaced from job`)
  const replaced = rows.filter((row) => row.replaced).map(({ id }) => id)
  if (rows.length === specs.length) return replaced
  const added = new Set(rows.map(({ id }) => id))
  const left = runs.flatMap(({ id }, i) => (added.has(id) ? [] : [i]))
  const [leftSpecs, leftRuns] = [left.map((i) => specs[i] as Spec), left.map((i) => runs[i] as NewRun)]
  return [...replaced, ...(await addTracked(db, queue, leftSpecs, leftRuns))]
}

/** Takes a job that no worker has locked out of the queue; its payload, or null if one runs it or it is gone. */
export async function remove(db: Db, queue: string, jobId: number): Promise<unknown> {
  return await db.maybeOneFirst(sql.type(z.object({ payload: z.unknown() }))`
    select payload from ${sql.identifier([queue, 'complete_jobs'])}(array[${jobId}]::bigint[])`)
}

/** Whether a worker has locked a job. */
export async function isLocked(db: Db, queue: string, jobId: number): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.coerce.number() }))`
    select id from ${jobsOf({ schema: queue })} where id = ${jobId} and locked_at is not null`)
}

/** Whether a job with this key waits, for another attempt too, or runs. */
export async function isUnderWay(db: Db, queue: string, key: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ key: z.string() }))`
    select key from ${jobsOf({ schema: queue })} where key = ${key} and (is_available or locked_at is not null)`)
}

/** Takes the jobs with these keys out of the queue; false when a worker runs one of them. */
export async function removeByKeys(tx: Db, queue: string, keys: string[]): Promise<boolean> {
  const jobs = jobsOf({ schema: queue })
  await tx.query(sql.typeAlias('void')`
    delete from ${jobs} where key = any(${sql.array(keys, 'text')}) and locked_at is null`)
  return !(await tx.exists(sql.type(z.object({ key: z.string() }))`
    select key from ${jobs} where key = any(${sql.array(keys, 'text')})`))
}

/** Marks a locked job so that its completion returns it to the queue at `at`, at no cost of an attempt (jobs.fence). */
export async function markReturn(db: Db, queue: string, jobId: number, worker: string, at: Date): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })}
    set flags = jsonb_build_object('later', extract(epoch from ${at.toISOString()}::timestamptz))
    where id = ${jobId} and locked_by = ${worker}`)
}

/** What stands with a job that was put back because its organisation holds its share of the slots, behind an error that it had. */
const waitsForShare = 'waits: its organisation holds its share of the slots'

/** Whether a job was put back and has not run since. */
export const isPutBack = (lastError: string | null): boolean => lastError?.endsWith(waitsForShare) ?? false

/** The same of a row of the queue. */
export const wasPutBack = sql.fragment`coalesce(right(last_error, ${waitsForShare.length}) = ${waitsForShare}, false)`

/** The same as `markReturn` for a job that is to wait `delay` milliseconds: by the database's clock, as this host's may be wrong. */
export async function markLater(db: Db, queue: string, jobId: number, worker: string, delay: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })}
    set flags = jsonb_build_object('later', extract(epoch from now() + ${delay} * interval '1 millisecond')),
      last_error = case when ${wasPutBack} then nullif(rtrim(left(last_error, -${waitsForShare.length}::integer), '; '), '') else last_error end
    where id = ${jobId} and locked_by = ${worker}`)
}

/** Marks a locked job like `markLater`, and notes that it waits for its organisation's share: it still counts as waiting. */
export async function putBack(db: Db, queue: string, jobId: number, worker: string, delay: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })}
    set flags = jsonb_build_object('later', extract(epoch from now() + ${delay} * interval '1 millisecond')),
      last_error = case when ${wasPutBack} then last_error else coalesce(last_error || '; ', '') || ${waitsForShare}::text end
    where id = ${jobId} and locked_by = ${worker}`)
}

/**
 * Makes the first `count` of these jobs due that were put back and still wait, and has workers look; returns their ids. One that
 * another worker has run since, or that was enqueued anew for a later time, keeps its time.
 */
export async function makeDue(db: Db, queue: Queue, ids: readonly number[], count: number): Promise<readonly number[]> {
  const made = await db.anyFirst(sql.type(z.object({ id: z.coerce.number() }))`
    update ${jobsOf(queue)} set run_at = now() where id = any(array(
      select id from ${jobsOf(queue)}
      where id = any(${sql.array([...ids], 'int8')}) and locked_at is null and is_available and run_at > now()
        and ${wasPutBack} and not jobs.parked(run_at)
      order by array_position(${sql.array([...ids], 'int8')}, id) limit ${count} for update skip locked))
    returning id`)
  if (made.length > 0) await wake(db, queue, made.length)
  return made
}

const unfitSince = 'waits for a fit host since '

/** Whether a job's last error says that its host could not do it. */
export const isUnfit = (lastError: string | null): boolean => lastError?.includes(unfitSince) ?? false

/** When that was first so of a job since it last ran otherwise, by the database's clock. */
const since = sql.fragment`coalesce(substring(last_error from ${`${unfitSince}([^ ]+): `})::timestamptz, now())`

/** Milliseconds for which no host could do a locked job, 0 at first. */
export async function unfitFor(db: Db, queue: string, jobId: number, worker: string): Promise<number> {
  const ms = await db.maybeOneFirst(sql.type(z.object({ ms: z.number() }))`
    select (extract(epoch from now() - ${since}) * 1000)::float8 as ms from ${jobsOf({ schema: queue })}
    where id = ${jobId} and locked_by = ${worker}`)
  return ms ?? 0
}

/** Notes with a locked job that its host cannot do it, since when that is so, and why. */
export async function noteUnfit(db: Db, queue: string, jobId: number, worker: string, why: string): Promise<void> {
  const text = outsideText(why)
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })} set last_error =
      coalesce(substring(last_error from '^worker lost') || '; ', '') || ${unfitSince}
      || to_char(${since} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ': ' || ${text}::text
    where id = ${jobId} and locked_by = ${worker}`)
}

/** Takes that note off a locked job: it ran. */
export async function forgetUnfit(db: Db, queue: string, jobId: number, worker: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })} set last_error = substring(last_error from '^worker lost')
    where id = ${jobId} and locked_by = ${worker}`)
}

/** Leaves a locked job no further attempt, so that the failure about to be recorded is its last. */
export async function spendAttempts(db: Db, queue: string, jobId: number, worker: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update ${jobsOf({ schema: queue })} set max_attempts = greatest(attempts, 1)
    where id = ${jobId} and locked_by = ${worker}`)
}

/** Whether a locked job's key was taken by another job: the queue then leaves it no attempt after this one. */
export async function isReplaced(db: Db, queue: string, jobId: number, worker: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.number() }))`
    select id from ${jobsOf({ schema: queue })}
    where id = ${jobId} and locked_by = ${worker} and key is null and attempts >= max_attempts`)
}
