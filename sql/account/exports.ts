import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Days for which an archive may be fetched: as long as a signed URL may last. */
export const exportDays = 7

/** Archives of all that an organisation has. */
export const table = defineTable(
  'account',
  'exports',
  z.object({
    id: Id,
    org_id: Id,
    state: z.enum(['waiting', 'ready', 'failed']),
    requested_by: z.string(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
    expires_at: z.date().nullable(),
    object_key: z.string().nullable(),
    bytes: z.number().nullable(),
    counts: z.record(z.string(), z.number()),
    error: z.string().nullable(),
  }),
)

/** A row of `account.exports`. */
export type Export = z.infer<typeof table.Row>

/** Adds an export; null while another one of the organisation is made. */
export async function insert(tx: Db, orgId: string, requestedBy: string): Promise<Export | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert({ id: newId(), org_id: orgId, requested_by: requestedBy })}
    on conflict (org_id) where state = 'waiting' do nothing returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Export | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.exports where org_id = ${orgId} and id = ${id}`)
}

/** The export with that id, of any organisation. */
export async function findAny(db: Db, id: string): Promise<Export | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.exports where id = ${id}`)
}

/** Exports of an organisation, newest first, before the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<readonly Export[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.exports
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null}::uuid)
    order by id desc limit ${limit}`)
}

/** Notes that an archive is there. */
export async function setReady(
  tx: Db,
  id: string,
  { key, bytes, counts }: { key: string; bytes: number; counts: Record<string, number> },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.exports set state = 'ready', finished_at = now(), expires_at = now() + ${exportDays} * interval '1 day',
      object_key = ${key}, bytes = ${bytes}, counts = ${sql.jsonb(counts)}
    where id = ${id} and state = 'waiting'`)
  return rowCount === 1
}

/** Notes that there will be no archive, and why; the row stays as long as one with an archive does. */
export async function setFailed(db: Db, id: string, error: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.exports set state = 'failed', finished_at = now(), expires_at = now() + ${exportDays} * interval '1 day',
      error = ${error}
    where id = ${id} and state = 'waiting'`)
}

/** Exports whose time is over. */
export async function listOver(db: Db, limit: number): Promise<readonly Export[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.exports where expires_at < now() order by expires_at limit ${limit}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from account.exports where id = ${id}`)
}
