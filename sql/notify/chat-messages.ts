import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const ChatError = z.object({ code: z.string(), message: z.string(), http_status: z.number().nullable() })

export type ChatError = z.infer<typeof ChatError>

export const table = defineTable(
  'notify',
  'chat_messages',
  z.object({
    id: Id,
    org_id: Id,
    connection_id: Id,
    key_id: Id.nullable(),
    event_id: Id.nullable(),
    user_id: z.string().nullable(),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    url: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    status: z.enum(['queued', 'sending', 'sent', 'unknown', 'failed']),
    error: ChatError.nullable(),
    tries: z.number(),
    created_at: z.date(),
    sent_at: z.date().nullable(),
  }),
  { retention: days('NOTIFY_INBOX_DAYS', 'id', { batch: 1_000 }) },
)

export type ChatMessage = z.infer<typeof table.Row>

export type Status = ChatMessage['status']

export type NewChatMessage = Omit<ChatMessage, 'status' | 'error' | 'tries' | 'created_at' | 'sent_at'>

const columns = table.columns()

export async function insertMany(tx: Db, messages: readonly NewChatMessage[]): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map((message) => ({ ...message, status: 'queued' as const }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<ChatMessage | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from notify.chat_messages where id = ${id} and org_id = ${orgId}`)
}

/** Returns a message of any organisation. */
export async function findAny(db: Db, id: string): Promise<ChatMessage | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from notify.chat_messages where id = ${id}`)
}

export const filters = {
  /** Messages that are being sent are shown as queued. */
  status: (status: Status) =>
    sql.fragment`status = any(${sql.array(status === 'queued' ? ['queued', 'sending'] : [status], 'text')})`,
  connection_id: table.equals('connection_id'),
  event_id: table.equals('event_id'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ChatMessage[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from notify.chat_messages where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Marks a queued message as sending. Returns null if the message is no longer queued. */
export async function begin(db: Db, id: string): Promise<ChatMessage | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update notify.chat_messages set status = 'sending', tries = tries + 1
    where id = ${id} and status = 'queued' returning ${columns}`)
}

export async function requeue(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update notify.chat_messages set status = 'queued' where id = ${id} and status = 'sending'`)
}

/** Ends a message. Returns null if it has ended before. */
export async function end(
  tx: Db,
  id: string,
  { status, error }: Pick<ChatMessage, 'error'> & { status: 'sent' | 'unknown' | 'failed' },
): Promise<ChatMessage | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update notify.chat_messages
    set status = ${status}, error = ${error === null ? null : sql.jsonb(error)},
      sent_at = case when ${status} = 'sent' then now() end
    where id = ${id} and status in ('queued', 'sending') returning ${columns}`)
}
