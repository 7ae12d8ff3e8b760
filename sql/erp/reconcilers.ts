import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isOpen } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

/** Purpose of the encryption of tokens (lib/seal.ts). The associated data is the ID. */
export const sealPurpose = 'erp reconcilers'

export const table = defineTable(
  'erp',
  'reconcilers',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    token: z.string(),
    token_hash: z.string(),
    last_used_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export type Reconciler = z.infer<typeof table.Row>

/** Maximum number of URLs of an organisation. */
export const maxReconcilers = 20

/** Adds a URL, in a transaction. Returns null if the organisation has reached the maximum. */
export async function insert(tx: Db, row: Omit<Reconciler, 'last_used_at' | 'created_at'>): Promise<Reconciler | null> {
  await lockOrgLimit(tx, row.org_id, 'erp.reconcilers')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from erp.reconcilers where org_id = ${row.org_id}`)
  if (count >= maxReconcilers) return null
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${table.columns()}`)
}

export const filters = {}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Reconciler[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from erp.reconcilers where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Reconciler | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from erp.reconcilers where org_id = ${orgId} and id = ${id}`)
}

export async function remove(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from erp.reconcilers where org_id = ${orgId} and id = ${id}`)
  return rowCount > 0
}

/** Returns the URL with a token, of any organisation that is not closed. Records its use once per minute. */
export async function use(db: Db, hash: string): Promise<Reconciler | null> {
  const found = await db.maybeOne(sql.type(table.Row)`
    select ${table.columns('s')} from erp.reconcilers as s where token_hash = ${hash} and ${isOpen('s')}`)
  if (found && (found.last_used_at === null || found.last_used_at.getTime() < Date.now() - 60_000))
    await db.query(sql.typeAlias('void')`
      update erp.reconcilers set last_used_at = now() where id = ${found.id}`)
  return found
}
