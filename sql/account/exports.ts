import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Number of days for which an archive is available: the maximum lifetime of a signed URL. */
export const exportDays = 7

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

export type Export = z.infer<typeof table.Row>

export async function insert(tx: Db, orgId: string, requestedBy: string): Promise<Export | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert({ id: newId(), org_id: orgId, requested_by: requestedBy })}
    on conflict (org_id) where state = 'waiting' do nothing returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Export | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.exports where org_id = ${orgId} and id = ${id}`)
}

export async function findAny(db: Db, id: string): Promise<Export | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from account.exports where id = ${id}`)
}

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

/** Records that an archive failed, and why. The row has the same retention as the row of a ready archive. */
export async function setFailed(db: Db, id: string, error: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update account.exports set state = 'failed', finished_at = now(), expires_at = now() + ${exportDays} * interval '1 day',
      error = ${error}
    where id = ${id} and state = 'waiting'`)
}

export async function listExpired(db: Db, limit: number): Promise<readonly Export[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from account.exports where expires_at < now() order by expires_at limit ${limit}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from account.exports where id = ${id}`)
}
