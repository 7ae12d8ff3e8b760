import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Message } from './messages.ts'

/** `report`, `reply` and `feedback` have no effect. */
export const Kind = z.enum(['bounce', 'report', 'reply', 'complaint', 'feedback', 'unsubscribe'])

export type Kind = z.infer<typeof Kind>

export const table = defineTable(
  'email',
  'inbound',
  z.object({
    id: Id,
    kind: Kind,
    org_id: Id.nullable(),
    message_id: Id.nullable(),
    remote_address: z.string(),
    detail: z.string().nullable(),
    created_at: z.date(),
  }),
  { retention: days('EMAIL_MESSAGE_DAYS', 'created_at') },
)

export type Inbound = z.infer<typeof table.Row>

export async function insert(tx: Db, row: Omit<Inbound, 'created_at'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

export async function list(db: Db, limit: number, messageId?: string): Promise<readonly Inbound[]> {
  const which = messageId === undefined ? sql.fragment`true` : sql.fragment`message_id = ${messageId}`
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.inbound where ${which} order by created_at desc, id desc limit ${limit}`)
}

export const ReturnedMessage = Message.pick({
  id: true,
  org_id: true,
  to_email: true,
  from_email: true,
  from_name: true,
  subject: true,
  message_id: true,
})

export type ReturnedMessage = z.infer<typeof ReturnedMessage>

/** Returns a message of any organisation. A MAC or a token has proven the ID. */
export async function findReturned(db: Db, messageId: string): Promise<ReturnedMessage | null> {
  return await db.maybeOne(sql.type(ReturnedMessage)`
    select id, org_id, to_email, from_email, from_name, subject, message_id from email.messages where id = ${messageId}`)
}

/** True if the message has copies. Copies have the same Message-ID. */
export async function hasCopies(db: Db, messageId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from email.messages where copy_of = ${messageId} limit 1`)
}

export async function isReturnPath(db: Db, host: string): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ found: z.boolean() }))`
    select exists (select from email.domains where return_path = ${host}) as found`)
}
