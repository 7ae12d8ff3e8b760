import { z } from 'zod'
import { Id } from '#lib/ids.ts'
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
export async function insertMany(tx: Db, rows: readonly Omit<Suppression, 'created_at'>[]): Promise<void> {
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(rows)} on conflict do nothing`)
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
