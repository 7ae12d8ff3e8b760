import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** An attempt that threw. */
const Failure = z.object({
  id: Id,
  pool: z.string(),
  task: z.string(),
  job_id: z.number(),
  run_id: Id.nullable(),
  org_id: Id.nullable(),
  request_id: z.string().nullable(),
  worker: z.string(),
  attempt: z.number(),
  /** No attempt was left after it. */
  final: z.boolean(),
  started_at: z.date(),
  ended_at: z.date(),
  error: z.string(),
  fingerprint: z.string(),
})

/** The parsed row. */
export type Failure = z.infer<typeof Failure>

const columns = sql.fragment`
  id, pool, task, job_id, run_id, org_id, request_id, worker, attempt, final, started_at, ended_at, error, fingerprint`

/** Records attempts that threw; one whose id is there already is left as it is. */
export async function insertMany(db: Db, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return
  await db.query(sql.typeAlias('void')`
    insert into jobs.failures (${columns})
    select ${columns} from json_to_recordset(${JSON.stringify(failures)}::json) as n (id uuid, pool text, task text,
      job_id bigint, run_id uuid, org_id uuid, request_id text, worker text, attempt integer, final boolean,
      started_at timestamptz, ended_at timestamptz, error text, fingerprint text)
    on conflict (id) do nothing`)
}

/** The failed attempts of one job, oldest first. */
export async function listOfJob(db: Db, pool: string, jobId: number): Promise<readonly Failure[]> {
  return await db.any(sql.type(Failure)`
    select ${columns} from jobs.failures where pool = ${pool} and job_id = ${jobId} order by ended_at, id limit 200`)
}

/** Failures that are alike. */
const FailureGroup = z.object({
  pool: z.string(),
  task: z.string(),
  fingerprint: z.string(),
  attempts: z.number(),
  jobs: z.number(),
  first_at: z.date(),
  last_at: z.date(),
  /** The newest one's error and job. */
  error: z.string(),
  job_id: z.number(),
})

/** Failures of the last `hours` by what they share, most frequent first. */
export async function listGroups(
  db: Db,
  { hours, pool, task, limit }: { hours: number; pool?: string; task?: string; limit: number },
): Promise<readonly z.infer<typeof FailureGroup>[]> {
  return await db.any(sql.type(FailureGroup)`
    with alike as (
      select pool, task, fingerprint, count(*)::integer as attempts, count(distinct job_id)::integer as jobs,
        min(ended_at) as first_at, max(ended_at) as last_at
      from jobs.failures
      where ended_at > now() - ${hours} * interval '1 hour'
        and (${pool ?? null}::text is null or pool = ${pool ?? null})
        and (${task ?? null}::text is null or task = ${task ?? null})
      group by 1, 2, 3 order by attempts desc, last_at desc limit ${limit})
    select alike.*, newest.error, newest.job_id from alike
    cross join lateral (
      select error, job_id from jobs.failures as f
      where f.fingerprint = alike.fingerprint and f.pool = alike.pool and f.task = alike.task
      order by ended_at desc limit 1) as newest
    order by attempts desc, last_at desc`)
}

/** Forgets failures after `days`, at most `limit` at a time; returns how many. */
export async function prune(db: Db, days: number, limit: number): Promise<number> {
  const deleted = await db.query(sql.typeAlias('void')`
    delete from jobs.failures where id in (
      select id from jobs.failures where ended_at < now() - ${days} * interval '1 day' limit ${limit})`)
  return deleted.rowCount
}
