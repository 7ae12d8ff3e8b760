import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const Kind = z.enum(['suppressions', 'consents'])

export type Kind = z.infer<typeof Kind>

export const Status = z.enum(['queued', 'running', 'finished', 'failed'])

/** Lists of suppressions or consents that a task reads row by row. */
export const table = defineTable(
  'email',
  'imports',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    kind: Kind,
    status: Status,
    reason: z.string().nullable(),
    rows: z.number(),
    imported: z.number(),
    existing: z.number(),
    invalid: z.number(),
    vouched_at: z.date().nullable(),
    vouched_by: z.string().nullable(),
    vouch_reason: z.string().nullable(),
    confirmed_after: Id.nullable(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
  }),
)

export type Import = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  row: Pick<Import, 'id' | 'org_id' | 'key_id' | 'sandbox' | 'kind' | 'rows' | 'invalid'>,
): Promise<Import> {
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${table.columns()}`)
}

/** Returns an import of live or test keys. */
export async function find(db: Db, orgId: string, id: string, sandbox: boolean): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.imports where org_id = ${orgId} and id = ${id} and sandbox = ${sandbox}`)
}

/** Returns an import of any organisation, for an operator. */
export async function findAny(db: Db, id: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from email.imports where id = ${id}`)
}

export const filters = { kind: table.equals('kind'), status: table.equals('status') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
  sandbox: boolean,
): Promise<readonly Import[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.imports
    where org_id = ${orgId} and sandbox = ${sandbox} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

/** Returns consent imports of live keys of all organisations, newest first. */
export async function listConsents(db: Db, limit: number): Promise<readonly (Import & { org: string })[]> {
  return await db.any(sql.type(table.Row.extend({ org: z.string() }))`
    select ${table.columns('i')}, o.name as org from email.imports as i join account.orgs as o on o.id = i.org_id
    where i.kind = 'consents' and not i.sandbox order by i.id desc limit ${limit}`)
}

/** Returns an open import, locked until the transaction ends. Null if it does not exist or has ended. */
export async function lockOpen(tx: Db, id: string): Promise<Import | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.imports where id = ${id} and status in ('queued', 'running') for update`)
}

export async function lock(tx: Db, id: string): Promise<Import | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.imports where id = ${id} for update`)
}

export async function count(
  tx: Db,
  id: string,
  { imported, existing, invalid }: Pick<Import, 'imported' | 'existing' | 'invalid'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.imports set status = 'running', imported = imported + ${imported}, existing = existing + ${existing},
      invalid = invalid + ${invalid}
    where id = ${id}`)
}

export async function finish(tx: Db, id: string): Promise<Import> {
  return await tx.one(sql.type(table.Row)`
    update email.imports set status = 'finished', reason = null, finished_at = now() where id = ${id} returning ${table.columns()}`)
}

/** Ends an open import with the reason. Null if it does not exist or has ended. */
export async function fail(tx: Db, id: string, reason: string): Promise<Import | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update email.imports set status = 'failed', reason = ${reason}
    where id = ${id} and status in ('queued', 'running') returning ${table.columns()}`)
}

/** Opens a failed import again. Its waiting rows are read by the next job. */
export async function retry(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.imports set status = 'running', reason = null where id = ${id} and status = 'failed'`)
}

/** Returns false if an operator has already vouched for the import, or if it has no consents. */
export async function vouch(tx: Db, id: string, actor: string, reason: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update email.imports set vouched_at = now(), vouched_by = ${actor}, vouch_reason = ${reason}
    where id = ${id} and kind = 'consents' and vouched_at is null`)
  return rowCount > 0
}

export async function setConfirmedAfter(tx: Db, id: string, consentId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update email.imports set confirmed_after = ${consentId} where id = ${id}`)
}
