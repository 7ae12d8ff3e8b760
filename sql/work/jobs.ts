import { z } from 'zod'
import { firstIdAt, Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

/** One HTTP request of a job, and its result. */
export const Attempt = z.object({
  number: z.number(),
  at: z.string(),
  response_status: z.number().nullable(),
  response_head: z.string().nullable(),
  latency_ms: z.number(),
  error: z.string().nullable(),
})

export type Attempt = z.infer<typeof Attempt>

/** Policy of retries. Without a schedule, delays grow from `first` to `most` seconds by `factor`. */
export const Retries = z.object({
  max_attempts: z.number(),
  schedule: z.array(z.number()).optional(),
  backoff: z.object({ first: z.number(), factor: z.number(), most: z.number() }).optional(),
})

export type Retries = z.infer<typeof Retries>

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const statuses = ['blocked', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped'] as const

export const originKinds = ['schedule', 'flow', 'source', 'rule'] as const

export const ratePeriods = ['second', 'minute', 'hour'] as const

export const table = defineTable(
  'work',
  'jobs',
  z.object({
    id: Id,
    org_id: Id,
    url: z.string(),
    host: z.string(),
    method: z.enum(methods),
    header_names: z.array(z.string()),
    headers: z.string().nullable(),
    body: z.string().nullable(),
    body_type: z.enum(['json', 'text']).nullable(),
    status: z.enum(statuses),
    phase: z.enum(['blocked', 'timed', 'held', 'paced', 'ready', 'running', 'ended']),
    due_at: z.date(),
    turn: z.number(),
    queue_id: z.number().nullable(),
    retries: Retries,
    timeout_ms: z.number(),
    dedupe_key: z.string().nullable(),
    concurrency_key: z.string().nullable(),
    concurrency_limit: z.number().nullable(),
    has_place: z.boolean(),
    rate_key: z.string().nullable(),
    rate_limit: z.number().nullable(),
    rate_per: z.enum(ratePeriods).nullable(),
    group_name: z.string().nullable(),
    origin_kind: z.enum(originKinds).nullable(),
    origin_id: Id.nullable(),
    blocked_by: z.number(),
    /** Time of the schedule’s run that created the job. */
    scheduled_for: z.date().nullable(),
    attempts: z.number(),
    attempt_log: z.array(Attempt),
    response_status: z.number().nullable(),
    error: z.string().nullable(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
  {
    retention: days('CALL_HISTORY_DAYS', 'ended_at', {
      where: sql.fragment`old.phase = 'ended'`,
      sooner: sql.fragment`(select s.retention_days from work.settings as s where s.org_id = old.org_id)`,
      batch: 1_000,
    }),
  },
)

export type Job = z.infer<typeof table.Row>

const columns = table.columns()

/** Job of a list: without the body, the headers and the attempts. */
export const Listed = table.Row.omit({ headers: true, body: true, attempt_log: true })

export type Listed = z.infer<typeof Listed>

type WithTexts<Row> = {
  [Column in keyof Row]: Date extends Row[Column] ? string | Exclude<Row[Column], Date> : Row[Column]
}

export async function insertMany(tx: Db, jobs: readonly WithTexts<Job>[]): Promise<void> {
  if (jobs.length === 0) return
  await tx.query(sql.typeAlias('void')`${table.insertMany(jobs as never)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Job | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from work.jobs where id = ${id} and org_id = ${orgId}`)
}

/** Returns a job, locked until the transaction ends. Null if it does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Job | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from work.jobs where id = ${id} and org_id = ${orgId} for no key update`)
}

/** Returns jobs of an organisation by ID, in any order. */
export async function findMany(db: Db, orgId: string, ids: readonly string[]): Promise<readonly Job[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from work.jobs where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')})`)
}

const Held = table.Row.pick({ org_id: true, concurrency_key: true })

/** Returns the concurrency keys of those jobs that wait for a place. */
export async function listHeld(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<readonly z.infer<typeof Held>[]> {
  return await db.any(sql.type(Held)`
    select ${getColumns(Held)} from work.jobs
    where org_id = ${orgId} and id = any(${sql.array([...ids], 'uuid')}) and phase = 'held'`)
}

/** Returns the IDs of those jobs that exist. They cannot be deleted until the transaction ends. */
export async function lockExisting(tx: Db, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return []
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from work.jobs where id = any(${sql.array([...ids], 'uuid')}) order by id for key share`)
}

export const filters = {
  status: table.equals('status'),
  group: table.equals('group_name'),
  origin_kind: table.equals('origin_kind'),
  origin_id: table.equals('origin_id'),
  host: table.equals('host'),
  dedupe_key: table.equals('dedupe_key'),
  created_after: (at: string) => sql.fragment`id >= ${firstIdAt(new Date(at))}`,
  created_before: (at: string) => sql.fragment`id < ${firstIdAt(new Date(at))}`,
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    select ${getColumns(Listed)} from work.jobs where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns the last jobs that a schedule or another origin has created. */
export async function listOfOrigin(db: Db, orgId: string, originId: string, limit: number): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    select ${getColumns(Listed)} from work.jobs where org_id = ${orgId} and origin_id = ${originId}
    order by id desc limit ${limit}`)
}

/** Deletes an ended job. Returns false if the job does not exist, or has not ended. */
export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from work.jobs where id = ${id} and org_id = ${orgId} and phase = 'ended'`)
  return rowCount === 1
}

/** Opens ended jobs again for all their attempts. The caller puts them in a line or in the queue. */
export async function reopen(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.jobs set status = 'waiting', phase = 'timed', attempts = 0, due_at = now(), error = null,
      response_status = null, ended_at = null
    where id = any(${sql.array([...ids], 'uuid')}) and phase = 'ended'`)
}

const Failed = table.Row.pick({
  ...{ id: true, org_id: true, turn: true, concurrency_key: true, concurrency_limit: true },
  ...{ rate_key: true, rate_limit: true, rate_per: true, origin_kind: true, origin_id: true },
})

/** Locks failed jobs that were created since a time, oldest first. Flows are replayed with all their jobs instead. */
export async function lockFailed(
  tx: Db,
  orgId: string,
  { since, group, limit }: { since: string; group: string | undefined; limit: number },
): Promise<readonly z.infer<typeof Failed>[]> {
  const inGroup = group === undefined ? sql.fragment`true` : sql.fragment`group_name = ${group}`
  return await tx.any(sql.type(Failed)`
    select ${getColumns(Failed)} from work.jobs
    where org_id = ${orgId} and status = 'failed' and origin_kind is distinct from 'flow'
      and id >= ${firstIdAt(new Date(since))} and ${inGroup}
    order by id limit ${limit} for no key update`)
}
