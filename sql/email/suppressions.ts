import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import type { Stream } from './messages.ts'

/** Why nothing is sent to an address any more. */
export const Reason = z.enum(['bounce', 'complaint', 'manual'])

/** Why nothing is sent to an address any more. */
export type Reason = z.infer<typeof Reason>

/** Addresses that an organisation's mail is not sent to. */
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

/** An address that an organisation's mail is not sent to. */
export type Suppression = z.infer<typeof table.Row>

/** Suppresses addresses; those that are already stay as they are. */
export async function insertMany(tx: Db, rows: readonly Omit<Suppression, 'id' | 'created_at'>[]): Promise<void> {
  if (rows.length === 0) return
  const withIds = rows.map((row) => ({ id: newId(), ...row }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(withIds)} on conflict do nothing`)
}

/** An organisation's suppressions, newest first, after the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  {
    email,
    reason,
    before,
    limit,
  }: { email?: string | undefined; reason?: Reason | undefined; before: string | undefined; limit: number },
): Promise<readonly Suppression[]> {
  const wanted = [
    sql.fragment`org_id = ${orgId}`,
    ...(email ? [sql.fragment`email = ${email}`] : []),
    ...(reason ? [sql.fragment`reason = ${reason}`] : []),
    ...(before ? [sql.fragment`id < ${before}`] : []),
  ]
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.suppressions
    where ${sql.join(wanted, sql.fragment` and `)} order by id desc limit ${limit}`)
}

/** Lets an address be sent to again; one that has complained stays. Returns the reasons there were. */
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

/** Whether a suppression for that reason holds for a stream: a complaint does not stop security mail, all else stops all. */
export const holdsFor = (reason: Reason, stream: Stream): boolean => !(reason === 'complaint' && stream === 'security')

/** The suppressions of these addresses, of several organisations. */
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
