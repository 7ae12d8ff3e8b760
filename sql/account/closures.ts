import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'
import { held } from './move/moves.ts'

export const Receipt = z.object({
  rows: z.record(z.string(), z.number()),
  jobs: z.number(),
  objects: z.number(),
  bytes: z.number(),
})

export type Receipt = z.infer<typeof Receipt>

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
    reminded_at: z.date().nullable(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
    step: z.string().nullable(),
    block: z.number(),
    receipt: Receipt,
  }),
)

export const Closure = table.Row.omit({ step: true, block: true, reminded_at: true })

export type Closure = z.infer<typeof Closure>

const columns = getColumns(Closure)

export async function request(
  tx: Db,
  { orgId, kind, name, days }: { orgId: string; kind: 'user' | 'operator'; name: string; days: number },
): Promise<Closure | null> {
  return await tx.maybeOne(sql.type(Closure)`
    insert into account.closures (id, org_id, requested_by_kind, requested_by, due_at)
    values (${newId()}, ${orgId}, ${kind}, ${name}, now() + ${days} * interval '1 day')
    on conflict (org_id) where state in ('waiting', 'running') do nothing returning ${columns}`)
}

export async function cancel(tx: Db, orgId: string): Promise<Closure | null> {
  return await tx.maybeOne(sql.type(Closure)`
    update account.closures set state = 'cancelled', cancelled_at = now()
    where org_id = ${orgId} and state = 'waiting' returning ${columns}`)
}

const Told = z.object({
  org_id: Id,
  state: table.Row.shape.state,
  due_at: z.date(),
  by: z.string().nullable(),
  name: z.string(),
})

/** Returns what the owners are told of a closure. `null` if the organisation is deleted. */
export async function findTold(db: Db, id: string): Promise<z.infer<typeof Told> | null> {
  return await db.maybeOne(sql.type(Told)`
    select c.org_id, c.state, c.due_at, c.requested_by as by, o.name
    from account.closures as c join account.orgs as o on o.id = c.org_id where c.id = ${id}`)
}

/**
 * Marks the closures whose owners are reminded now: three days before the end, or in the last quarter of a short grace
 * period. Returns their IDs.
 */
export async function markReminded(tx: Db): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    update account.closures set reminded_at = now()
    where state = 'waiting' and reminded_at is null and now() < due_at
      and due_at - now() <= least(interval '3 days', (due_at - created_at) / 4)
    returning id`)
}

/** Returns the open closure of an organisation, or its last closure. `null` if no closure exists. */
export async function find(db: Db, orgId: string): Promise<Closure | null> {
  return await db.maybeOne(sql.type(Closure)`
    select ${columns} from account.closures where org_id = ${orgId}
    order by state in ('waiting', 'running') desc, id desc limit 1`)
}

/**
 * Returns a condition on rows with `org_id`: the organisation is neither closing nor locked for a move between cells.
 * Few organisations are in these states, so they form one small set per statement.
 */
export const notClosing = (alias: string) => sql.fragment`
  ${sql.identifier([alias, 'org_id'])} not in (
    select org_id from account.closures where state in ('waiting', 'running') union all ${held})`

/** Returns a condition on rows with `org_id`: the organisation is not closed. For tokens and public web pages. */
export const isOpen = (alias: string) => sql.fragment`
  ${sql.identifier([alias, 'org_id'])} not in (select org_id from account.closures where state in ('waiting', 'running'))`

export async function isClosed(db: Db, orgId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ found: z.number() }))`
    select 1 as found from account.closures where org_id = ${orgId} and state in ('waiting', 'running')`)
}

/** True if the fence `account.refuse_closed` rejected a row of a closed organisation. */
export function isClosedOrganisationError(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) if ('code' in e && e.code === 'P0CLO') return true
  return false
}

export async function isClosing(db: Db, orgId: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ closing: z.boolean() }))`select account.is_closing(${orgId}) as closing`)
}

/** Returns a condition on memberships: the organisation is open, or it is closed and the member is an owner. */
export const openToMember = (alias: string) => sql.fragment`not exists (
  select from account.closures as c where c.org_id = ${sql.identifier([alias, 'org_id'])}
    and (c.state = 'running' or (c.state = 'waiting' and ${sql.identifier([alias, 'role'])} <> 'owner')))`

export const ClosureProgress = table.Row.pick({ id: true, org_id: true, step: true, block: true })

export type ClosureProgress = z.infer<typeof ClosureProgress>

/**
 * Starts closures whose grace period has ended. Returns all running closures, oldest first. They can no longer be
 * cancelled.
 */
export async function begin(db: Db): Promise<readonly ClosureProgress[]> {
  await db.query(sql.typeAlias('void')`
    update account.closures set state = 'running', started_at = now() where state = 'waiting' and due_at <= now()`)
  return await db.any(sql.type(ClosureProgress)`
    select ${getColumns(ClosureProgress)} from account.closures where state = 'running' order by due_at, id`)
}

export async function advance(db: Db, id: string, step: string, block: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.closures set step = ${step}, block = ${block} where id = ${id} and state = 'running'`)
}

export async function countRows(tx: Db, id: string, name: string, rows: number): Promise<void> {
  if (rows === 0) return
  await tx.query(sql.typeAlias('void')`
    update account.closures set receipt = jsonb_set(receipt, array['rows', ${name}],
      to_jsonb(coalesce((receipt #>> array['rows', ${name}])::bigint, 0) + ${rows}::bigint))
    where id = ${id}`)
}

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

/** Ends a closure. Its receipt contains no personal data. */
export async function finish(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.closures set state = 'done', finished_at = now(), requested_by = null, step = null, block = 0
    where id = ${id} and state = 'running'`)
}
