import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Requests of `fetch` steps. */
export const table = defineTable(
  'notify',
  'run_fetches',
  z.object({
    run_id: Id,
    number: z.number(),
    org_id: Id,
    name: z.string(),
    status: z.enum(['waiting', 'done', 'failed']),
    tries: z.number(),
    http_status: z.number().nullable(),
    /** Values of the response by path, such as `order.status`. */
    fields: z.record(z.string(), z.string()),
    reason: z.string().nullable(),
    error: z.string().nullable(),
    started_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

export const Fetch = table.Row

export type Fetch = z.infer<typeof Fetch>

export type NewFetch = Pick<Fetch, 'run_id' | 'number' | 'org_id' | 'name'>

export async function insertMany(tx: Db, fetches: readonly NewFetch[]): Promise<void> {
  if (fetches.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(fetches)} on conflict do nothing`)
}

export async function find(db: Db, { run_id, number }: Pick<Fetch, 'run_id' | 'number'>): Promise<Fetch | null> {
  return await db.maybeOne(sql.type(Fetch)`
    select ${table.columns()} from notify.run_fetches where run_id = ${run_id} and number = ${number}`)
}

export async function listOf(db: Db, runIds: readonly string[]): Promise<readonly Fetch[]> {
  if (runIds.length === 0) return []
  return await db.any(sql.type(Fetch)`
    select ${table.columns()} from notify.run_fetches where run_id = any(${sql.array([...runIds], 'uuid')})
    order by run_id, number`)
}

/** Counts a failed attempt. */
export async function recordTry(
  db: Db,
  { run_id, number }: Pick<Fetch, 'run_id' | 'number'>,
  { http_status, reason, error }: Pick<Fetch, 'http_status' | 'reason' | 'error'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update notify.run_fetches set tries = tries + 1, http_status = ${http_status}, reason = ${reason}, error = ${error}
    where run_id = ${run_id} and number = ${number} and status = 'waiting'`)
}

export type FetchResult = Pick<Fetch, 'http_status' | 'fields' | 'reason' | 'error'> & { status: 'done' | 'failed' }

/** Stores the result of a waiting request. Returns false if it has already ended. */
export async function end(
  tx: Db,
  { run_id, number }: Pick<Fetch, 'run_id' | 'number'>,
  { status, http_status, fields, reason, error }: FetchResult,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update notify.run_fetches
    set ${table.set({ status, http_status, fields, reason, error })}, tries = tries + 1, ended_at = now()
    where run_id = ${run_id} and number = ${number} and status = 'waiting'`)
  return rowCount > 0
}
