import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { notClosing } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, type NewRow } from '../table.ts'

/** Reason why a run created no job. */
export const RunError = z.object({ at: z.string(), code: z.string(), message: z.string() })

export type RunError = z.infer<typeof RunError>

export const table = defineTable(
  'work',
  'schedules',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    cron: z.string().nullable(),
    time_zone: z.string(),
    every_seconds: z.number().nullable(),
    /** Fields of the job without its headers. */
    job: z.record(z.string(), z.unknown()),
    /** Sealed. */
    headers: z.string().nullable(),
    missed: z.enum(['skip', 'once']),
    state: z.enum(['active', 'paused', 'ended']),
    anchor: z.date(),
    starts_at: z.date().nullable(),
    ends_at: z.date().nullable(),
    next_run_at: z.date().nullable(),
    /** Time from which a due run is tried again whose job the plan did not allow. */
    retry_at: z.date().nullable(),
    last_run_at: z.date().nullable(),
    last_error: RunError.nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Schedule = z.infer<typeof table.Row>

export type NewSchedule = Omit<Schedule, 'retry_at' | 'last_run_at' | 'last_error' | 'created_at' | 'updated_at'>

const columns = table.columns()

export const filters = { state: table.equals('state'), name: table.equals('name') }

export async function insert(tx: Db, schedule: NewSchedule): Promise<Schedule> {
  return await tx.one(sql.type(table.Row)`${table.insert(schedule)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Schedule | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from work.schedules where id = ${id} and org_id = ${orgId}`)
}

/** Returns a schedule, locked until the transaction ends. Null if it does not exist. */
export async function lock(tx: Db, orgId: string, id: string): Promise<Schedule | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from work.schedules where id = ${id} and org_id = ${orgId} for update`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from work.schedules where org_id = ${orgId}`)
}

export async function isNameTaken(db: Db, orgId: string, name: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ found: z.number() }))`
    select 1 as found from work.schedules where org_id = ${orgId} and name = ${name}`)
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Schedule[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from work.schedules where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function update(
  tx: Db,
  orgId: string,
  id: string,
  changes: NewRow<typeof table.Row>,
): Promise<Schedule | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update work.schedules set ${table.set({ ...changes, updated_at: sql.fragment`now()` })}
    where id = ${id} and org_id = ${orgId} returning ${columns}`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from work.schedules where id = ${id} and org_id = ${orgId}`)
  return rowCount > 0
}

const dueAt = sql.fragment`greatest(s.next_run_at, s.retry_at)`

const isDue = sql.fragment`s.next_run_at is not null and ${dueAt} <= now()`

/** Returns the IDs of the longest due schedules. */
export async function listDue(db: Db, limit: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.prepared('work.due_schedules', z.object({ id: Id }))`
    select s.id from work.schedules as s where ${isDue} and ${notClosing('s')}
    order by ${dueAt} limit ${limit}`)
}

const Due = table.Row.extend({ now: z.date(), next_run_at: z.date() })

/** A schedule whose time has come, and the time of the database. */
export type Due = z.infer<typeof Due>

/** Locks those schedules that are due until the transaction ends, except those that another worker has locked. */
export async function lockDue(tx: Db, ids: readonly string[]): Promise<readonly Due[]> {
  return await tx.any(sql.type(Due)`
    select ${table.columns('s')}, now() as now from work.schedules as s
    where s.id = any(${sql.array([...ids], 'uuid')}) and ${isDue}
    order by s.next_run_at for update skip locked`)
}

export interface Move {
  id: string
  state: Schedule['state']
  next_run_at: string | null
  /** Null if the run is over. */
  retry_at: string | null
  /** Null if no job was created. */
  last_run_at: string | null
  last_error: RunError | null
}

/** Sets the next runs. An error of an earlier run stays until a run has created a job. */
export async function moveMany(tx: Db, moves: readonly Move[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.schedules as s set next_run_at = m.next_run_at, retry_at = m.retry_at,
      state = m.state, last_run_at = coalesce(m.last_run_at, s.last_run_at),
      last_error = case when m.last_run_at is null then coalesce(m.last_error, s.last_error) else m.last_error end
    from json_to_recordset(${JSON.stringify(moves)}::json)
      as m (id uuid, state text, next_run_at timestamptz, retry_at timestamptz, last_run_at timestamptz, last_error jsonb)
    where s.id = m.id`)
}

/** Returns the milliseconds until the next run of a schedule. Null if no schedule has one. */
export async function findNextDueMs(db: Db): Promise<number | null> {
  return await db.maybeOneFirst(sql.prepared('work.next_run', z.object({ ms: z.number() }))`
    select extract(epoch from ${dueAt} - clock_timestamp())::float8 * 1000 as ms from work.schedules as s
    where s.next_run_at is not null and ${notClosing('s')} order by ${dueAt} limit 1`)
}
