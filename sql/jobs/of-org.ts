import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable, type Queue, tasksTable } from './graphile-schema.ts'

export const getJobTable = ({ schema }: Queue): string => `${schema}._private_jobs`

/**
 * Removes an organisation’s jobs that are not running from some blocks of a queue. Returns the number of removed jobs.
 * Tasks are not notified.
 */
export async function removeOfOrg(
  tx: Db,
  queue: Queue,
  orgId: string,
  [from, to]: readonly [number, number],
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from ${jobsTable(queue)}
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and payload ->> 'org' = ${orgId} and locked_at is null`)
  return rowCount
}

const MovedJob = z.object({
  id: z.number(),
  task: z.string(),
  payload: z.string(),
  priority: z.number(),
  run_at: z.string(),
  attempts: z.number(),
  max_attempts: z.number(),
  last_error: z.string().nullable(),
  key: z.string().nullable(),
  created_at: z.string(),
})

export type MovedJob = z.infer<typeof MovedJob>

const ofOrg = (orgId: string) => sql.fragment`payload ->> 'org' = ${orgId}`

/** Returns an organisation’s jobs, including failed ones. Returns null while a worker runs one of them. */
export async function readOfOrg(db: Db, queue: Queue, orgId: string): Promise<readonly MovedJob[] | null> {
  const jobs = await db.any(sql.type(MovedJob.extend({ locked: z.boolean() }))`
    select j.locked_at is not null as locked, j.id, t.identifier as task, j.payload::text as payload, j.priority, j.run_at::text as run_at, j.attempts, j.max_attempts,
      j.last_error, j.key, j.created_at::text as created_at
    from ${jobsTable(queue)} as j join ${tasksTable(queue)} as t on t.id = j.task_id
    where ${ofOrg(orgId)} order by j.id`)
  return jobs.some(({ locked }) => locked) ? null : jobs
}

export async function runningOfOrg(db: Db, queue: Queue, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ task: z.string() }))`
    select t.identifier as task from ${jobsTable(queue)} as j join ${tasksTable(queue)} as t on t.id = j.task_id
    where j.locked_at is not null and ${ofOrg(orgId)} limit 100`)
}

export async function removeAllOfOrg(tx: Db, queue: Queue, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from ${jobsTable(queue)} where ${ofOrg(orgId)}`)
}

/**
 * Adds jobs from another database with their due times, attempts, keys and priorities. References to their old numbers
 * are changed to the new numbers. If another job in this database has the same key, the job is omitted.
 */
export async function addMoved(tx: Db, queue: Queue, jobs: readonly MovedJob[]): Promise<void> {
  if (jobs.length === 0) return
  const tasks = sql.array([...new Set(jobs.map(({ task }) => task))], 'text')
  await tx.query(sql.typeAlias('void')`
    insert into ${tasksTable(queue)} (identifier) select unnest(${tasks}) on conflict (identifier) do nothing`)
  for (let from = 0; from < jobs.length; from += 1_000) {
    const some = jobs.slice(from, from + 1_000)
    const rows = sql.unnest(
      some.map((job) => Object.values(MovedJob.parse(job)).map((value) => (value === null ? null : String(value)))),
      Array.from({ length: 10 }, () => 'text'),
    )
    const pairs = await tx.any(sql.type(z.object({ old: z.number(), id: z.number() }))`
      with given as materialized (
        select * from ${rows} as g (id, task, payload, priority, run_at, attempts, max_attempts, last_error, key, created_at)),
      numbered as materialized (
        select g.*, nextval(pg_get_serial_sequence(${getJobTable(queue)}, 'id')) as new_id from given as g),
      added as (
        insert into ${jobsTable(queue)}
          (id, task_id, payload, priority, run_at, attempts, max_attempts, last_error, key, created_at)
        overriding system value
        select n.new_id, t.id, n.payload::json, n.priority::int2, n.run_at::timestamptz, n.attempts::int2,
          n.max_attempts::int2, n.last_error, n.key, n.created_at::timestamptz
        from numbered as n join ${tasksTable(queue)} as t on t.identifier = n.task
        on conflict (key) do nothing returning id)
      select n.id::int8 as old, a.id from numbered as n join added as a on a.id = n.new_id`)
    const named = sql.unnest(
      pairs.map(({ old, id }) => [old, id]),
      ['int8', 'int8'],
    )
    const orgs = [...new Set(some.map(({ payload }) => (JSON.parse(payload) as { org: string }).org))]
    const ours = sql.fragment`r.pool = ${queue.pool} and r.org_id = any(${sql.array(orgs, 'uuid')})`
    await tx.query(sql.typeAlias('void')`
      update jobs.runs as r set job_id = p.id from ${named} as p (old, id) where r.job_id = p.old and ${ours}`)
    await tx.query(sql.typeAlias('void')`
      update jobs.failures as r set job_id = p.id from ${named} as p (old, id) where r.job_id = p.old and ${ours}`)
  }
  await tx.query(sql.unsafe`select jobs.wake(${queue.schema}, ${Math.min(jobs.length, 10_000)})`)
}
