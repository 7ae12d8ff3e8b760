import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

/** Purpose of the encryption of the provider’s key (lib/seal.ts). The associated data is the ID of the import. */
export const sealPurpose = 'moving credentials'

export const Provider = z.enum(['resend', 'postmark', 'sendgrid', 'onesignal', 'mux'])

export type Provider = z.infer<typeof Provider>

export const Part = z.enum(['templates', 'suppressions', 'contacts', 'devices', 'assets'])

export type Part = z.infer<typeof Part>

export const Status = z.enum(['queued', 'reading', 'ready', 'writing', 'finished', 'failed', 'cancelled'])

export type Status = z.infer<typeof Status>

export const Cursor = z.object({
  /** Index of the list that is being read. */
  step: z.int().optional(),
  at: z.string().nullable().optional(),
  pages: z.int().optional(),
  /** Number of failed requests in a row. */
  setbacks: z.int().optional(),
  /** Number of requests in a row that the provider rejected because of its rate limit. */
  waits: z.int().optional(),
})

export type Cursor = z.infer<typeof Cursor>

export const table = defineTable(
  'moving',
  'imports',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id,
    provider: Provider,
    source: z.enum(['api', 'file']),
    parts: z.array(Part),
    app_id: Id.nullable(),
    dry_run: z.boolean(),
    status: Status,
    reason: z.string().nullable(),
    credential: z.string().nullable(),
    cursor: Cursor,
    found: z.number(),
    imported: z.number(),
    existing: z.number(),
    invalid: z.number(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
  }),
)

export type Import = z.infer<typeof table.Row>

export type NewImport = Omit<
  Import,
  'reason' | 'cursor' | 'imported' | 'existing' | 'created_at' | 'finished_at' | 'status'
> & { status?: Status }

export async function insert(tx: Db, { parts, ...row }: NewImport): Promise<Import> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...row, parts: sql.array([...parts], 'text') })} returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from moving.imports where org_id = ${orgId} and id = ${id}`)
}

export const filters = { provider: table.equals('provider'), status: table.equals('status') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Import[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from moving.imports
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function lock(tx: Db, id: string): Promise<Import | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from moving.imports where id = ${id} for update`)
}

export async function read(db: Db, id: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from moving.imports where id = ${id}`)
}

export async function setCursor(tx: Db, id: string, cursor: Cursor, found: number, invalid: number): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.imports
    set status = 'reading', cursor = ${sql.jsonb(cursor)}, found = found + ${found}, invalid = invalid + ${invalid}
    where id = ${id}`)
}

/** Records the failed and the rejected requests in a row. The next page resets them. */
export async function setSetbacks(tx: Db, id: string, counts: { setbacks: number; waits: number }): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.imports set cursor = cursor || ${sql.jsonb(counts)} where id = ${id}`)
}

/** Resets the failed and the rejected requests after one that worked. */
export async function clearSetbacks(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.imports set cursor = cursor - 'setbacks' - 'waits'
    where id = ${id} and (cursor ? 'setbacks' or cursor ? 'waits')`)
}

export async function count(
  tx: Db,
  id: string,
  { imported, existing, invalid }: Pick<Import, 'imported' | 'existing' | 'invalid'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.imports
    set imported = imported + ${imported}, existing = existing + ${existing}, invalid = invalid + ${invalid}
    where id = ${id}`)
}

/** Changes the status. An import that has ended keeps no key of the provider. */
export async function setStatus(tx: Db, id: string, status: Status, reason: string | null = null): Promise<Import> {
  const isEnded = status === 'finished' || status === 'failed' || status === 'cancelled'
  return await tx.one(sql.type(table.Row)`
    update moving.imports
    set status = ${status}, reason = ${reason}, credential = case when ${isEnded} then null else credential end,
      finished_at = case when ${isEnded} then now() else finished_at end
    where id = ${id} returning ${table.columns()}`)
}

/** Starts to write a checked import with the authority of a key. */
export async function startWriting(tx: Db, id: string, keyId: string): Promise<Import> {
  return await tx.one(sql.type(table.Row)`
    update moving.imports set status = 'writing', dry_run = false, key_id = ${keyId}
    where id = ${id} returning ${table.columns()}`)
}

/** Number of the newest imports in which the objects of a day are counted. */
const mostCounted = 200

const Recent = z.object({ ready: z.number(), found: z.number() })

/** Counts the imports that wait to be applied, and the objects that the newest imports have read in the last day. */
export async function countRecent(db: Db, orgId: string): Promise<z.infer<typeof Recent>> {
  return await db.one(sql.type(Recent)`
    select (select count(*) from moving.imports where org_id = ${orgId} and status = 'ready') as ready,
      (select coalesce(sum(found), 0)::integer from (
        select found, created_at from moving.imports where org_id = ${orgId} order by id desc limit ${mostCounted}) as i
        where created_at > now() - interval '1 day') as found`)
}

/** Returns checked imports that were not applied in time. */
export async function listStale(db: Db, days: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from moving.imports
    where status = 'ready' and created_at < now() - ${days} * interval '1 day' order by id limit 100`)
}
