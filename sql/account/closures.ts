import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'
import { held } from './moves.ts'

/** What was deleted: rows by table, waiting jobs, objects in storage and their bytes. */
export const Receipt = z.object({
  rows: z.record(z.string(), z.number()),
  jobs: z.number(),
  objects: z.number(),
  bytes: z.number(),
})

/** What was deleted. */
export type Receipt = z.infer<typeof Receipt>

/** Ends of organisations: one that waits or runs for each, and the receipts of those that are done. */
export const table = defineTable(
  'account',
  'closures',
  z.object({
    id: Id,
    org_id: Id,
    state: z.enum(['waiting', 'running', 'done', 'cancelled']),
    requested_by_kind: z.enum(['user', 'operator']),
    requested_by: z.string().nullable(),
    created_at: z.date(),
    due_at: z.date(),
    cancelled_at: z.date().nullable(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
    step: z.string().nullable(),
    block: z.number(),
    receipt: Receipt,
  }),
)

/** The end of an organisation, and its receipt. */
export const Closure = table.Row.omit({ step: true, block: true })

/** The end of an organisation, and its receipt. */
export type Closure = z.infer<typeof Closure>

const columns = columnsOf(Closure)

/** Begins the grace of an organisation; null when it has begun already. */
export async function request(
  tx: Db,
  { orgId, kind, name, days }: { orgId: string; kind: 'user' | 'operator'; name: string; days: number },
): Promise<Closure | null> {
  return await tx.maybeOne(sql.type(Closure)`
    insert into account.closures (id, org_id, requested_by_kind, requested_by, due_at)
    values (${newId()}, ${orgId}, ${kind}, ${name}, now() + ${days} * interval '1 day')
    on conflict (org_id) where state in ('waiting', 'running') do nothing returning ${columns}`)
}

/** Takes a closure back whose grace is not over; null when there is none. */
export async function cancel(tx: Db, orgId: string): Promise<Closure | null> {
  return await tx.maybeOne(sql.type(Closure)`
    update account.closures set state = 'cancelled', cancelled_at = now()
    where org_id = ${orgId} and state = 'waiting' returning ${columns}`)
}

/** The closure of an organisation that waits or runs, or else its last one; null when nobody has asked for any. */
export async function find(db: Db, orgId: string): Promise<Closure | null> {
  return await db.maybeOne(sql.type(Closure)`
    select ${columns} from account.closures where org_id = ${orgId}
    order by state in ('waiting', 'running') desc, id desc limit 1`)
}

/**
 * A condition on rows with an `org_id`: their organisation is not closing, nor held because it moves to another cell or from one. The
 * few that are make one small set for a statement.
 */
export const notClosing = (alias: string) => sql.fragment`
  ${sql.identifier([alias, 'org_id'])} not in (
    select org_id from account.closures where state in ('waiting', 'running') union all ${held})`

/** A condition on rows with an `org_id`: their organisation is not closed. It holds for what tokens and public pages lead to. */
export const isOpen = (alias: string) => sql.fragment`
  ${sql.identifier([alias, 'org_id'])} not in (select org_id from account.closures where state in ('waiting', 'running'))`

/** True if an organisation waits for its end or is being deleted. */
export async function isClosed(db: Db, orgId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ found: z.number() }))`
    select 1 as found from account.closures where org_id = ${orgId} and state in ('waiting', 'running')`)
}

/** True if a row was refused because its organisation is closed: by the fence of `account.refuse_closed`. */
export function isOfClosed(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) if ('code' in e && e.code === 'P0CLO') return true
  return false
}

/** Whether an organisation waits for its end, is being deleted, or is held because it moves. */
export async function isClosing(db: Db, orgId: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ closing: z.boolean() }))`select account.is_closing(${orgId}) as closing`)
}

/** A condition on memberships: the organisation is open to its members, or waits for its end and they are an owner. */
export const opensTo = (alias: string) => sql.fragment`not exists (
  select from account.closures as c where c.org_id = ${sql.identifier([alias, 'org_id'])}
    and (c.state = 'running' or (c.state = 'waiting' and ${sql.identifier([alias, 'role'])} <> 'owner')))`

/** Where a closure is that runs. */
export const Work = table.Row.pick({ id: true, org_id: true, step: true, block: true })

/** Where a closure is that runs. */
export type Work = z.infer<typeof Work>

/** Has the closures begin whose grace is over; all that run, the oldest first. Cancelling one is too late from then on. */
export async function begin(db: Db): Promise<readonly Work[]> {
  await db.query(sql.typeAlias('void')`
    update account.closures set state = 'running', started_at = now() where state = 'waiting' and due_at <= now()`)
  return await db.any(sql.type(Work)`
    select ${columnsOf(Work)} from account.closures where state = 'running' order by due_at, id`)
}

/** Notes where a closure is, so that it goes on there after its worker's end. */
export async function advance(db: Db, id: string, step: string, block: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.closures set step = ${step}, block = ${block} where id = ${id} and state = 'running'`)
}

/** Adds rows to the receipt, in the transaction that deletes them. */
export async function countRows(tx: Db, id: string, name: string, rows: number): Promise<void> {
  if (rows === 0) return
  await tx.query(sql.typeAlias('void')`
    update account.closures set receipt = jsonb_set(receipt, array['rows', ${name}],
      to_jsonb(coalesce((receipt #>> array['rows', ${name}])::bigint, 0) + ${rows}::bigint))
    where id = ${id}`)
}

/** Adds jobs, or objects and their bytes, to the receipt. */
export async function count(
  db: Db,
  id: string,
  { jobs = 0, objects = 0, bytes = 0 }: Partial<Record<'jobs' | 'objects' | 'bytes', number>>,
): Promise<void> {
  if (jobs + objects + bytes === 0) return
  await db.query(sql.typeAlias('void')`
    update account.closures set receipt = receipt || jsonb_build_object(
      'jobs', (receipt ->> 'jobs')::bigint + ${jobs}::bigint, 'objects', (receipt ->> 'objects')::bigint + ${objects}::bigint,
      'bytes', (receipt ->> 'bytes')::bigint + ${bytes}::bigint)
    where id = ${id}`)
}

/** Ends a closure: nothing personal stays in its receipt. */
export async function finish(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.closures set state = 'done', finished_at = now(), requested_by = null, step = null, block = 0
    where id = ${id} and state = 'running'`)
}
