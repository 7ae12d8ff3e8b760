import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { isOlder, type Page } from '../../filters.ts'
import { defineTable } from '../../table.ts'
import type { Stream } from '../messages.ts'

export const Reason = z.enum(['bounce', 'complaint', 'manual'])

export type Reason = z.infer<typeof Reason>

export const table = defineTable(
  'email',
  'suppressions',
  z.object({
    id: Id,
    org_id: Id,
    email: z.string(),
    reason: Reason,
    message_id: Id.nullable(),
    detail: z.string().nullable(),
    created_at: z.date(),
  }),
)

export type Suppression = z.infer<typeof table.Row>

/** Adds suppressions with their original time. Returns those that did not exist. */
export async function importMany(
  tx: Db,
  rows: readonly (Pick<Suppression, 'org_id' | 'email' | 'reason' | 'detail'> & { created_at: string })[],
): Promise<readonly Pick<Suppression, 'email' | 'reason'>[]> {
  if (rows.length === 0) return []
  // In a fixed order, so that concurrent imports do not deadlock.
  const withIds = rows
    .map((row) => ({ id: newId(), message_id: null, ...row }))
    .sort((a, b) => (`${a.email} ${a.reason}` < `${b.email} ${b.reason}` ? -1 : 1))
  return await tx.any(sql.type(table.Row.pick({ email: true, reason: true }))`
    ${table.insertMany(withIds)} on conflict do nothing returning email, reason`)
}

/** Existing suppressions do not change. */
export async function insertMany(tx: Db, rows: readonly Omit<Suppression, 'id' | 'created_at'>[]): Promise<void> {
  if (rows.length === 0) return
  const withIds = rows.map((row) => ({ id: newId(), ...row }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(withIds)} on conflict do nothing`)
}

export const filters = { email: table.equals('email'), reason: table.equals('reason') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Suppression[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.suppressions
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

/** Deletes suppressions except complaints. Returns the reasons of the deleted suppressions. */
export async function remove(tx: Db, orgId: string, email: string): Promise<readonly Reason[]> {
  const Row = z.object({ reason: Reason })
  const found = await tx.any(sql.type(Row)`
    select reason from email.suppressions where org_id = ${orgId} and email = ${email} order by reason for update`)
  const reasons = found.map(({ reason }) => reason)
  if (!reasons.includes('complaint')) {
    await tx.query(sql.typeAlias('void')`delete from email.suppressions where org_id = ${orgId} and email = ${email}`)
  }
  return reasons
}

/** A complaint does not stop `security` messages. Other reasons stop all streams. */
export const appliesTo = (reason: Reason, stream: Stream): boolean => !(reason === 'complaint' && stream === 'security')

export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; email: string }[],
): Promise<readonly Suppression[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(table.Row)`
    select ${table.columns('s')} from email.suppressions as s
    join ${sql.unnest(
      wanted.map(({ org_id, email }) => [org_id, email]),
      ['uuid', 'text'],
    )} as w (org_id, email) on s.org_id = w.org_id and s.email = w.email`)
}
