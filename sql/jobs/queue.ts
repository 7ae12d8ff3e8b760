import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { wake } from './actions.ts'
import { jobsTable, type Queue } from './graphile-schema.ts'
import { wasPutBack } from './locked-jobs.ts'

export interface Spec {
  task: string
  payload: unknown
  attempts: number
  at?: Date | undefined
  /** Only one waiting job can have this key. A new job with the key replaces the waiting job. */
  key?: string | undefined
  /** From -32768 to 32767. Lower values run first. */
  priority?: number | undefined
}

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

export type AddedJob = Pick<z.infer<typeof AddedJob>, 'id' | 'replaced'>

/** Adds jobs to a pool’s queue in one statement with one notification. Returns the jobs in the given order. */
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
 * Returns the jobs that the queue’s function skipped because a worker was fetching the job with the same key. The fetch
 * is committed when the function returns, so the next call can add the job.
 */
const unadded = (specs: readonly Spec[], added: ReadonlyMap<string | null, unknown>): Spec[] =>
  specs.filter(({ key }) => key && !added.has(key))

export interface NewRun {
  id: string
  task: string
  pool: string
  orgId: string | undefined
  subject: string | undefined
  requestId: string | undefined
  asked: boolean
}

const AddedRun = z.object({ id: Id, replaced: z.boolean() })

/**
 * Adds jobs and their runs in one statement, so that no worker can fetch a job without its run. Each job’s payload
 * contains the run’s ID. If a new job replaces a waiting job with the same key, the run of the waiting job ends as
 * cancelled. Returns the runs whose job replaced a waiting job.
 */
export async function addTracked(db: Db, queue: string, specs: Spec[], runs: NewRun[]): Promise<readonly string[]> {
  if (specs.length === 0) return []
  const rows = await db.any(sql.type(AddedRun)`
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

/**
 * Removes an unlocked job from the queue. Returns the job’s payload, or null if the job is running or does not exist.
 */
export async function remove(db: Db, queue: string, jobId: number): Promise<unknown> {
  return await db.maybeOneFirst(sql.type(z.object({ payload: z.unknown() }))`
    select payload from ${sql.identifier([queue, 'complete_jobs'])}(array[${jobId}]::bigint[])`)
}

export async function isLocked(db: Db, queue: string, jobId: number): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.coerce.number() }))`
    select id from ${jobsTable({ schema: queue })} where id = ${jobId} and locked_at is not null`)
}

/** True if a job with this key is waiting or running. A job that waits for a retry counts as waiting. */
export async function isActive(db: Db, queue: string, key: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ key: z.string() }))`
    select key from ${jobsTable({ schema: queue })} where key = ${key} and (is_available or locked_at is not null)`)
}

/** Removes the jobs with these keys from the queue. Returns false if a worker runs one of them. */
export async function removeByKeys(tx: Db, queue: string, keys: string[]): Promise<boolean> {
  const jobs = jobsTable({ schema: queue })
  await tx.query(sql.typeAlias('void')`
    delete from ${jobs} where key = any(${sql.array(keys, 'text')}) and locked_at is null`)
  return !(await tx.exists(sql.type(z.object({ key: z.string() }))`
    select key from ${jobs} where key = any(${sql.array(keys, 'text')})`))
}

/**
 * Makes the first `count` of these returned jobs due if they still wait, and wakes workers. Returns the IDs of the due
 * jobs. Jobs that have since run or were rescheduled keep their due time.
 */
export async function makeDue(db: Db, queue: Queue, ids: readonly number[], count: number): Promise<readonly number[]> {
  const made = await db.anyFirst(sql.type(z.object({ id: z.coerce.number() }))`
    update ${jobsTable(queue)} set run_at = now() where id = any(array(
      select id from ${jobsTable(queue)}
      where id = any(${sql.array([...ids], 'int8')}) and locked_at is null and is_available and run_at > now()
        and ${wasPutBack} and not jobs.parked(run_at)
      order by array_position(${sql.array([...ids], 'int8')}, id) limit ${count} for update skip locked))
    returning id`)
  if (made.length > 0) await wake(db, queue, made.length)
  return made
}
