import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable } from '../../table.ts'

export const table = defineTable(
  'email',
  'contact_events',
  z.object({
    id: Id,
    org_id: Id,
    contact_id: Id,
    kind: z.enum(['added', 'imported', 'asked', 'confirmed', 'unsubscribed', 'topics_changed']),
    source: z.enum(['api', 'import', 'page', 'one_click', 'mail', 'complaint', 'form', 'operator']),
    message_id: Id.nullable(),
    detail: z.string().nullable(),
    at: z.date(),
  }),
)

export const sandboxTable = defineTable('email', 'sandbox_contact_events', table.Row)

export type ContactEvent = z.infer<typeof table.Row>

export async function insertMany(
  tx: Db,
  events: readonly Omit<ContactEvent, 'id' | 'at'>[],
  sandbox = false,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => ({ id: newId(), ...event }))
  await tx.query(sql.typeAlias('void')`${(sandbox ? sandboxTable : table).insertMany(rows)}`)
}

export async function listHistory(db: Db, contactId: string, sandbox = false): Promise<readonly ContactEvent[]> {
  const from = sandbox ? sql.fragment`email.sandbox_contact_events` : sql.fragment`email.contact_events`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from ${from} where contact_id = ${contactId} order by id`)
}
