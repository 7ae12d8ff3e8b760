import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { lease } from './lease.ts'

export const table = defineTable(
  'jobs',
  'workers',
  z.object({
    id: z.string(),
    pool: z.string(),
    locked_by: z.string(),
    state: z.enum(['alive', 'fenced', 'stopped', 'lost']),
    fetches: z.boolean(),
    seen_at: z.date(),
    missed_at: z.date().nullable(),
  }),
  { retention: days(1, 'seen_at', { which: 'that have ended', where: sql.fragment`old.state <> 'alive'` }) },
)

export const crashes = defineTable(
  'jobs',
  'crashes',
  z.object({
    pool: z.string(),
    job_id: z.number(),
    count: z.number(),
    started_by: z.string().nullable(),
    crowded: z.number(),
    at: z.date(),
  }),
  { retention: days(1, 'at') },
)

const Loss = z.object({
  lost_worker: z.string(),
  pool_name: z.string(),
  released: z.number(),
  reason: z.enum(['gone', 'silent', 'late']),
})

export type Loss = z.infer<typeof Loss>

/**
 * Releases the jobs of one worker that has exited, or has sent no heartbeat for longer than its lease. Returns null if
 * no such worker exists.
 */
export async function sweep(db: Db): Promise<Loss | null> {
  return await db.maybeOne(sql.type(Loss)`select * from jobs.sweep()`)
}

/** True if a sweep found that a worker no longer holds its lock. The next sweep treats the worker as lost. */
export async function hasMissedWorker(db: Db): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.string() }))`
    select id from jobs.workers where state = 'alive' and missed_at is not null`)
}

export async function startSuspect(db: Db, pool: string, jobId: number, worker: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update jobs.crashes set started_by = ${worker} where pool = ${pool} and job_id = ${jobId}`)
}

export async function clearSuspect(db: Db, pool: string, jobId: number): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from jobs.crashes where pool = ${pool} and job_id = ${jobId}`)
}

const Headcount = z.object({
  pool: z.string(),
  alive: z.number(),
  lost: z.number(),
  suspects: z.number(),
})

export async function countWorkers(db: Db, pools: readonly string[]): Promise<readonly z.infer<typeof Headcount>[]> {
  return await db.any(sql.type(Headcount)`
    select pool,
      (select count(*) from jobs.workers as w where w.pool = p.pool and state = 'alive')::integer as alive,
      (select count(*) from jobs.workers as w
        where w.pool = p.pool and state = 'lost' and seen_at > now() - interval '10 minutes')::integer as lost,
      (select count(*) from jobs.crashes as c where c.pool = p.pool)::integer as suspects
    from unnest(${sql.array([...pools], 'text')}) as p (pool)`)
}

/** Returns the largest scratch disk of a pool’s running workers in bytes, or null if none is recorded. */
export async function largestScratch(db: Db, pool: string): Promise<number | null> {
  return await db.oneFirst(sql.type(z.object({ bytes: z.number().nullable() }))`
    select max(scratch_bytes)::int8 as bytes from jobs.workers where pool = ${pool} and state = 'alive'`)
}

/** True if another worker of the same pool runs on a worker’s host. They share the host’s resources. */
export async function hasNeighbour(db: Db, workerId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: z.string() }))`
    select other.id from jobs.workers as own
      join jobs.workers as other on other.host = own.host and other.pool = own.pool and other.id <> own.id
    where own.id = ${workerId} and ${lease(sql.fragment`other.id`)}`)
}

/** Returns the pools without a worker heartbeat in the last `ms` milliseconds. */
export async function listPoolsWithoutWorkers(
  db: Db,
  pools: readonly string[],
  ms: number,
): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ pool: z.string() }))`
    select pool from unnest(${sql.array([...pools], 'text')}) as p (pool)
    where not exists (select from jobs.workers as w
      where w.pool = p.pool and w.state = 'alive' and w.seen_at > now() - ${ms} * interval '1 millisecond')`)
}

export async function setFetches(db: Db, lockedBy: string, fetches: boolean): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update jobs.workers set fetches = ${fetches} where locked_by = ${lockedBy}`)
  return rowCount > 0
}
