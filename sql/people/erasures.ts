import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { PersonKeys } from './keys.ts'

export const Status = z.enum(['queued', 'running', 'done', 'failed'])

/** Erasures of people. The receipt has a row per table in `people.erasure_tables`. */
export const table = defineTable(
  'people',
  'erasures',
  z.object({
    id: Id,
    org_id: Id,
    user_id: z.string(),
    reason: z.string().nullable(),
    status: Status,
    identifiers: PersonKeys.nullable(),
    requested_by: z.string(),
    passes: z.number(),
    error: z.string().nullable(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
  }),
)

export const Erasure = table.Row.omit({ identifiers: true })

export type Erasure = z.infer<typeof Erasure>

const columns = getColumns(Erasure)

/** Adds an erasure. If the person is being erased, returns the open erasure instead. */
export async function add(
  tx: Db,
  { keys, reason, requestedBy }: { keys: PersonKeys; reason: string | null; requestedBy: string },
): Promise<{ erasure: Erasure; isNew: boolean }> {
  const { org_id, user_id } = keys
  const made = await tx.maybeOne(sql.type(Erasure)`
    ${table.insert({ id: newId(), org_id, user_id, reason, identifiers: keys, requested_by: requestedBy })}
    on conflict (org_id, user_id) where status in ('queued', 'running') do nothing returning ${columns}`)
  if (made) return { erasure: made, isNew: true }
  const open = await tx.one(sql.type(Erasure)`
    select ${columns} from people.erasures
    where org_id = ${org_id} and user_id = ${user_id} and status in ('queued', 'running') for update`)
  return { erasure: open, isNew: false }
}

/** Adds addresses that were linked after the erasure was requested. The rows of the first ones may be deleted already. */
export async function widen(tx: Db, id: string, keys: PersonKeys): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update people.erasures set identifiers = ${sql.jsonb(keys)} where id = ${id} and status in ('queued', 'running')`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Erasure | null> {
  return await db.maybeOne(sql.type(Erasure)`
    select ${columns} from people.erasures where org_id = ${orgId} and id = ${id}`)
}

export const filters = { user_id: table.equals('user_id'), status: table.equals('status') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Erasure[]> {
  return await db.any(sql.type(Erasure)`
    select ${columns} from people.erasures where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Work = table.Row.pick({ id: true, org_id: true, user_id: true, passes: true, requested_by: true }).extend({
  identifiers: PersonKeys,
})

export type ErasureWork = z.infer<typeof Work>

/** Locks an open erasure until the transaction ends, so that only one job works on it. */
export async function lockOpen(tx: Db, id: string): Promise<ErasureWork | null> {
  return await tx.maybeOne(sql.type(Work)`
    select ${getColumns(Work)} from people.erasures where id = ${id} and status in ('queued', 'running') for update`)
}

export async function start(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update people.erasures set status = 'running', started_at = coalesce(started_at, now()) where id = ${id}`)
}

export async function endPass(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update people.erasures set passes = passes + 1 where id = ${id}`)
}

/** Returns the keys of the failed erasures of a person. */
export async function listUnfinishedKeys(
  tx: Db,
  { org_id, user_id }: Pick<PersonKeys, 'org_id' | 'user_id'>,
): Promise<readonly PersonKeys[]> {
  const found = await tx.any(sql.type(Work.pick({ identifiers: true }))`
    select identifiers from people.erasures
    where org_id = ${org_id} and user_id = ${user_id} and status = 'failed' and identifiers is not null
    order by id desc limit 10`)
  return found.map(({ identifiers }) => identifiers)
}

/** Ends an erasure, and deletes the addresses by which rows were found, also those of earlier failed erasures. */
export async function finish(tx: Db, id: string): Promise<Erasure> {
  const done = await tx.one(sql.type(Erasure)`
    update people.erasures set status = 'done', finished_at = now(), identifiers = null, error = null
    where id = ${id} returning ${columns}`)
  await tx.query(sql.typeAlias('void')`
    update people.erasures set identifiers = null
    where org_id = ${done.org_id} and user_id = ${done.user_id} and status = 'failed'`)
  return done
}

export async function fail(tx: Db, id: string, error: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update people.erasures set status = 'failed', error = ${error} where id = ${id} and status in ('queued', 'running')`)
}
