import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { columnsOf, defineTable } from '../table.ts'
import { Text } from './templates.ts'

export const Status = z.enum(['scheduled', 'queued', 'sending', 'sent', 'failed', 'cancelled', 'expired', 'no_devices'])

export type Status = z.infer<typeof Status>

/** Providers whose payload a message may change. */
export const Overrides = z.object({
  apns: z.record(z.string(), z.unknown()).optional(),
  fcm: z.record(z.string(), z.unknown()).optional(),
  webpush: z.record(z.string(), z.unknown()).optional(),
})

/** What a message says. */
export const Content = Text.extend({
  image: z.string().optional(),
  /** The template's texts as they were rendered when the message was accepted. */
  texts: z.record(z.string(), Text).optional(),
  default_locale: z.string().optional(),
  template: z.object({ id: Id, version: z.number() }).optional(),
  overrides: Overrides.optional(),
})

export type Content = z.infer<typeof Content>

/** Messages to people. */
export const table = defineTable(
  'push',
  'messages',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    push_user_id: Id.nullable(),
    user_id: z.string(),
    content: Content,
    priority: z.number(),
    collapse_key: z.string().nullable(),
    dry_run: z.boolean(),
    status: Status,
    cursor: Id.nullable(),
    expanded: z.boolean(),
    created_at: z.date(),
    send_at: z.date(),
    expires_at: z.date(),
    ended_at: z.date().nullable(),
  }),
  {
    retention: days('PUSH_HISTORY_DAYS', 'id', {
      which: 'that have ended',
      where: sql.fragment`old.status not in ('scheduled', 'queued', 'sending')`,
      batch: 100,
    }),
  },
)

export type Message = z.infer<typeof table.Row>

const columns = table.columns()

/** A message as it is accepted. */
export type NewMessage = Omit<Message, 'cursor' | 'expanded' | 'created_at' | 'send_at' | 'expires_at' | 'ended_at'> & {
  send_at: string
  expires_at: string
  ended_at: string | null
}

export async function insertMany(tx: Db, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return
  await tx.query(sql.prepared('push_messages.insert_many', z.object({}))`${table.insertMany(messages)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.messages where id = ${id} and org_id = ${orgId}`)
}

/** A message that still has devices to be found, locked; null when it is expanded, cancelled or gone. */
export async function lockUnexpanded(tx: Db, id: string): Promise<Message | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from push.messages
    where id = ${id} and not expanded and status in ('scheduled', 'queued', 'sending')
    for no key update`)
}

/** Notes how far a message is expanded. */
export async function advance(
  tx: Db,
  id: string,
  { pushUserId, cursor, expanded }: { pushUserId: string | null; cursor: string | null; expanded: boolean },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update push.messages
    set push_user_id = ${pushUserId}, cursor = coalesce(${cursor}, cursor), expanded = ${expanded}, status = 'sending'
    where id = ${id}`)
}

/**
 * Ends the messages of these that are expanded and have no open delivery. Their rows are locked first: of two batches that end
 * a message's last deliveries, the second sees what the first has written. Not `for update`: attempts that were added before hold
 * their message's key (`for key share`), so two batches would wait for each other.
 */
export async function endMany(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const given = sql.array([...ids], 'uuid')
  await tx.any(sql.type(z.object({ id: Id }))`
    select id from push.messages where id = any(${given}) order by id for no key update`)
  await tx.query(sql.typeAlias('void')`
    update push.messages as m
    set ended_at = now(), status = case
      when exists (select from push.deliveries where message_id = m.id and status in ('sent', 'delivered')) then 'sent'
      when exists (select from push.deliveries where message_id = m.id and status = 'failed') then 'failed'
      when exists (select from push.deliveries where message_id = m.id and status = 'expired') then 'expired'
      else 'no_devices' end
    where id = any(${given}) and expanded and status = 'sending'
      and not exists (select from push.deliveries where message_id = m.id and status = 'queued')`)
}

/** Cancels a message that waits for its hour; false when it does not. */
export async function cancel(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update push.messages set status = 'cancelled', ended_at = now()
    where id = ${id} and org_id = ${orgId} and status = 'scheduled'`)
  return rowCount === 1
}

/** What is sent of a message, whatever the device. */
export const SendableMessage = table.Row.pick({
  id: true,
  org_id: true,
  user_id: true,
  content: true,
  priority: true,
  collapse_key: true,
  dry_run: true,
  send_at: true,
  expires_at: true,
}).extend({
  /** The language of the person, for devices that have none of their own. */
  locale: z.string().nullable(),
})

/** What is sent of a message, whatever the device. */
export type SendableMessage = z.infer<typeof SendableMessage>

/** What is sent of messages, by their ids. */
export async function findSendable(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, SendableMessage>> {
  const rows = await db.any(sql.type(SendableMessage)`
    select ${columnsOf(SendableMessage.omit({ locale: true }), 'm')}, u.locale
    from push.messages as m left join push.users as u on u.id = m.push_user_id
    where m.id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What a stream shows of a message. */
const ShownMessage = table.Row.pick({ id: true, content: true, priority: true, collapse_key: true, send_at: true })

/** What a stream shows of a message. */
export type ShownMessage = z.infer<typeof ShownMessage>

/** What streams show of messages, by their ids. */
export async function findShown(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ShownMessage>> {
  const rows = await db.any(sql.type(ShownMessage)`
    select ${columnsOf(ShownMessage)} from push.messages where id = any(${sql.array([...new Set(ids)], 'uuid')})`)
  return new Map(rows.map((row) => [row.id, row]))
}
