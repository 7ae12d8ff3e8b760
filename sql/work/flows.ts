import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'work',
  'flows',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string().nullable(),
    state: z.enum(['running', 'completed', 'failed', 'cancelled']),
    job_count: z.number(),
    created_at: z.date(),
    cancelled_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
  {
    retention: days('CALL_HISTORY_DAYS', 'ended_at', {
      sooner: sql.fragment`(select s.retention_days from work.settings as s where s.org_id = old.org_id)`,
      batch: 200,
    }),
  },
)

export type Flow = z.infer<typeof table.Row>

const columns = table.columns()

export const filters = { state: table.equals('state'), name: table.equals('name') }

export async function insert(tx: Db, flow: Pick<Flow, 'id' | 'org_id' | 'name' | 'job_count'>): Promise<Flow> {
  return await tx.one(sql.type(table.Row)`${table.insert(flow)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Flow | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from work.flows where id = ${id} and org_id = ${orgId}`)
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Flow[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from work.flows where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/**
 * Locks flows until the transaction ends and returns them. Always lock flows before their jobs, and all flows of a
 * transaction at the same time, so that transactions cannot wait for each other.
 */
export async function lockMany(tx: Db, ids: readonly string[]): Promise<readonly Flow[]> {
  if (ids.length === 0) return []
  return await tx.any(sql.type(table.Row)`
    select ${columns} from work.flows where id = any(${sql.array([...new Set(ids)], 'uuid')}) order by id for update`)
}

/** Locks the flows of these jobs until the transaction ends, and returns them. */
export async function lockOfJobs(tx: Db, jobIds: readonly string[]): Promise<readonly Flow[]> {
  return await tx.any(sql.prepared('work.lock_flows', table.Row)`
    select ${columns} from work.flows where id in (
      select origin_id from work.jobs
      where id = any(${sql.array([...jobIds], 'uuid')}) and origin_kind = 'flow')
    order by id for update`)
}

/** Ends a flow and returns it. */
export async function end(tx: Db, id: string, state: Exclude<Flow['state'], 'running'>): Promise<Flow> {
  return await tx.one(sql.type(table.Row)`
    update work.flows set state = ${state}, ended_at = now() where id = ${id} returning ${columns}`)
}

export async function markCancelled(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.flows set cancelled_at = now() where id = ${id} and cancelled_at is null`)
}

/** Makes an ended flow run again. */
export async function reopen(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.flows set state = 'running', ended_at = null, cancelled_at = null where id = ${id}`)
}
