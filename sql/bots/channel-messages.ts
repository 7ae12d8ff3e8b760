import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { table as messages } from './messages.ts'

/** Fields of a received email that its replies need. */
export const MailThread = z.object({
  /** Address that received the email. */
  recipient: z.string(),
  subject: z.string(),
  message_id: z.string().nullable(),
  references: z.array(z.string()),
})

export type MailThread = z.infer<typeof MailThread>

export const Status = z.enum([
  'waiting',
  'handled',
  'automatic',
  'limited',
  'ignored',
  'opted_out',
  'accepted',
  'refused',
])

export const table = defineTable(
  'bots',
  'channel_messages',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    contact: z.string(),
    contact_verified: z.boolean(),
    direction: z.enum(['inbound', 'outbound']),
    status: Status,
    reason: z.string().nullable(),
    transport_id: Id.nullable(),
    message_id: Id.nullable(),
    thread: MailThread.nullable(),
    sent_at: z.date(),
    created_at: z.date(),
  }),
  { retention: days('BOTS_RETENTION_DAYS', 'created_at', { batch: 1_000 }) },
)

export type ChannelMessage = z.infer<typeof table.Row>

const columns = table.columns()

export type Heard = Pick<
  ChannelMessage,
  'id' | 'org_id' | 'channel_id' | 'contact' | 'contact_verified' | 'status' | 'reason' | 'transport_id' | 'thread'
> & { sent_at: string }

/** Stores received messages, except those that are known. Returns the IDs of added rows. */
export async function insertHeard(tx: Db, heard: readonly Heard[]): Promise<ReadonlySet<string>> {
  if (heard.length === 0) return new Set()
  const rows = heard.map((one) => ({ ...one, direction: 'inbound' as const, created_at: new Date().toISOString() }))
  const added = await tx.anyFirst(sql.type(table.Row.pick({ id: true }))`
    ${table.insertMany(rows)} on conflict do nothing returning id`)
  return new Set(added)
}

const Lock = z.object({ locked: z.boolean() })

/**
 * Locks a contact of a channel until the transaction ends, so that its messages are handled one after the other.
 * Returns false immediately if another transaction has the lock.
 */
export async function tryLockContact(tx: Db, channelId: string, contact: string): Promise<boolean> {
  return await tx.oneFirst(sql.type(Lock)`
    select pg_try_advisory_xact_lock(${advisoryLockSpaces.botContact}, hashtext(${channelId} || ' ' || ${contact})) as locked`)
}

const oldestWaiting = (channelId: string, contact: string) => sql.fragment`
  select ${columns} from bots.channel_messages
  where channel_id = ${channelId} and contact = ${contact} and status = 'waiting'
  order by sent_at, id limit 1`

/** Returns the oldest message of a contact that waits. */
export async function findWaiting(db: Db, channelId: string, contact: string): Promise<ChannelMessage | null> {
  return await db.maybeOne(sql.type(table.Row)`${oldestWaiting(channelId, contact)}`)
}

/** Returns the oldest message of a contact that waits, and locks it. The caller must hold the lock of the contact. */
export async function lockWaiting(tx: Db, channelId: string, contact: string): Promise<ChannelMessage | null> {
  return await tx.maybeOne(sql.type(table.Row)`${oldestWaiting(channelId, contact)} for update`)
}

/**
 * Counts the messages of a contact within an hour that are in a conversation, up to `most`. Email with a forged sender
 * is counted apart, so that it does not use the limit of the real contact.
 */
export async function countRecent(
  db: Db,
  { channel_id, contact, contact_verified }: Pick<ChannelMessage, 'channel_id' | 'contact' | 'contact_verified'>,
  most: number,
): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from (
      select from bots.channel_messages
      where channel_id = ${channel_id} and contact = ${contact} and contact_verified = ${contact_verified}
        and direction = 'inbound' and status = 'handled' and created_at > now() - interval '1 hour'
      limit ${most}) as recent`)
}

/**
 * True if an email with the same Message-ID is in a conversation of the contact, for example because two addresses of a
 * route received it.
 */
export async function isRepeated(
  db: Db,
  { channel_id, contact, contact_verified, thread }: ChannelMessage,
): Promise<boolean> {
  if (!thread?.message_id) return false
  return await db.exists(sql.type(table.Row.pick({ id: true }))`
    select id from bots.channel_messages
    where channel_id = ${channel_id} and contact = ${contact} and contact_verified = ${contact_verified}
      and direction = 'inbound' and status = 'handled' and created_at > now() - interval '1 hour'
      and thread ->> 'message_id' = ${thread.message_id}`)
}

export async function settle(
  tx: Db,
  id: string,
  { status, reason = null, message_id = null }: Pick<ChannelMessage, 'status'> & Partial<ChannelMessage>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.channel_messages set status = ${status}, reason = ${reason}, message_id = ${message_id}
    where id = ${id}`)
}

/** Reserves the reply for a message of a conversation. Returns false if the message already has one. */
export async function insertReply(
  tx: Db,
  reply: Pick<ChannelMessage, 'id' | 'org_id' | 'channel_id' | 'contact' | 'contact_verified' | 'message_id'>,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    ${table.insert({ ...reply, direction: 'outbound', status: 'refused' })} on conflict do nothing`)
  return rowCount === 1
}

export async function recordReply(
  tx: Db,
  id: string,
  { status, reason, transport_id }: Pick<ChannelMessage, 'status' | 'reason' | 'transport_id'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.channel_messages set status = ${status}, reason = ${reason}, transport_id = ${transport_id}
    where id = ${id}`)
}

/** Number of messages with a person among which earlier ones are looked for. */
const mostEarlier = 10

/**
 * True if a WhatsApp message of a channel must wait, because an earlier message of the channel to the same person is not
 * sent yet. A message waits for up to a minute.
 */
export async function isBehind(db: Db, transportId: string): Promise<boolean> {
  return await db.exists(sql.type(table.Row.pick({ id: true }))`
    select c.id from bots.channel_messages as c join whatsapp.messages as m on m.id = c.transport_id
    where c.transport_id = ${transportId} and m.status = 'queued' and m.send_at > now() - interval '1 minute'
      and exists (
        select from (
          select id, status from whatsapp.messages
          where wa_id = m.wa_id and id < m.id order by id desc limit ${mostEarlier}) as e
        join bots.channel_messages as b on b.transport_id = e.id
        where b.channel_id = c.channel_id and e.status in ('queued', 'sending'))`)
}

const Unsent = messages.Row.pick({ id: true, content: true, author: true, seq: true })

/** Returns the complete messages of a bot after a position that its channel has not sent, oldest first. */
export async function listUnsent(
  db: Db,
  conversationId: string,
  afterSeq: number,
): Promise<readonly z.infer<typeof Unsent>[]> {
  return await db.any(sql.type(Unsent)`
    select m.id, m.content, m.author, m.seq from bots.messages as m
    where m.conversation_id = ${conversationId} and m.seq > ${afterSeq} and m.role = 'assistant'
      and m.status = 'completed' and not exists (select from bots.channel_messages as c where c.message_id = m.id)
    order by m.seq limit 10`)
}

const Threaded = z.object({ thread: MailThread })

/** Returns the last email of a conversation before a position. `null` if none is stored. */
export async function findThread(db: Db, conversationId: string, seq: number): Promise<MailThread | null> {
  return await db.maybeOneFirst(sql.type(Threaded)`
    select c.thread from bots.messages as m join bots.channel_messages as c on c.message_id = m.id
    where m.conversation_id = ${conversationId} and m.seq < ${seq} and c.thread is not null
    order by m.seq desc limit 1`)
}

export const filters = {
  direction: table.equals('direction'),
  status: table.equals('status'),
}

export async function list(
  db: Db,
  channelId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ChannelMessage[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from bots.channel_messages
    where channel_id = ${channelId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}
