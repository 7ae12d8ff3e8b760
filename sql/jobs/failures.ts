import { type Db, sql } from '../db.ts'

/** An attempt that threw. */
export interface Failure {
  id: string
  pool: string
  task: string
  job_id: number
  run_id: string | null
  org_id: string | null
  request_id: string | null
  worker: string
  attempt: number
  /** No attempt was left after it. */
  final: boolean
  started_at: Date
  ended_at: Date
  /** The messages of the error and its causes, and where it was thrown; without secrets. */
  error: string
  fingerprint: string
}

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

/** Forgets failures after `days`, at most `limit` at a time; returns how many. */
export async function prune(db: Db, days: number, limit: number): Promise<number> {
  const deleted = await db.query(sql.typeAlias('void')`
    delete from jobs.failures where id in (
      select id from jobs.failures where ended_at < now() - ${days} * interval '1 day' limit ${limit})`)
  return deleted.rowCount
}
