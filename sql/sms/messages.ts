import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Reason why a message was not sent or delivered: Millrace's error code and the code of the provider. */
export const MessageError = z.object({
  code: z.string(),
  message: z.string(),
  provider_code: z.string().nullable(),
  retryable: z.boolean(),
})

export type MessageError = z.infer<typeof MessageError>

export const table = defineTable(
  'sms',
  'messages',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    direction: z.enum(['outbound', 'inbound']),
    provider_id: Id.nullable(),
    phone: z.string(),
    sender: z.string().nullable(),
    text: z.string(),
    is_sensitive: z.boolean(),
    encoding: z.enum(['gsm7', 'ucs2']),
    segments: z.number(),
    keyword: z.enum(['stop', 'start', 'help']).nullable(),
    client_reference: z.string().nullable(),
    status: z.enum(['received', 'queued', 'sending', 'unknown', 'sent', 'failed', 'undelivered', 'delivered']),
    error: MessageError.nullable(),
    provider_message_id: z.string().nullable(),
    slot_at: z.date().nullable(),
    tries: z.number(),
    created_at: z.date(),
    sent_at: z.date().nullable(),
  }),
  { retention: days('SMS_HISTORY_DAYS', 'id', { batch: 1_000 }) },
)

export type Message = z.infer<typeof table.Row>

export type Status = Message['status']

const columns = table.columns()

export type NewMessage = Omit<Message, 'slot_at' | 'tries' | 'created_at' | 'sent_at' | 'error'> & {
  created_at: string
}

/** Adds messages, except those that the provider has already reported. Returns the IDs of added messages. */
export async function insertMany(tx: Db, messages: readonly NewMessage[]): Promise<readonly string[]> {
  if (messages.length === 0) return []
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    ${table.insertMany(messages)}
    on conflict (provider_id, provider_message_id) where provider_message_id is not null do nothing returning id`)
}

/** True if a provider's ID belongs to a sent message. */
export async function isOfSent(db: Db, providerId: string | null, providerMessageId: string | null): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from sms.messages
    where provider_id = ${providerId} and provider_message_id = ${providerMessageId} and direction = 'outbound'`)
}

/**
 * True if a person was answered in the last 10 minutes after the same keyword. Without this limit, two programs can
 * answer each other forever. Another answer to this number waits until the transaction ends.
 */
export async function isAnswered(
  tx: Db,
  { org_id, phone, keyword }: Pick<Message, 'org_id' | 'phone' | 'keyword'>,
): Promise<boolean> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(
      ${advisoryLockSpaces.limit}, hashtext(${`sms.answers ${org_id} ${phone}`}))`)
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from sms.messages
    where org_id = ${org_id} and phone = ${phone} and keyword = ${keyword} and direction = 'outbound'
      and created_at > now() - interval '10 minutes'`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from sms.messages where id = ${id} and org_id = ${orgId}`)
}

/** Returns a message of any organisation. */
export async function findAny(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from sms.messages where id = ${id}`)
}

export const filters = {
  direction: table.equals('direction'),
  /** Messages that are being sent are shown as queued. */
  status: (status: Status) =>
    sql.fragment`status = any(${sql.array(status === 'queued' ? ['queued', 'sending'] : [status], 'text')})`,
  phone: table.equals('phone'),
  provider_id: table.equals('provider_id'),
  client_reference: table.equals('client_reference'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Message[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from sms.messages where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Slot = z.object({ slot_at: z.date(), wait_ms: z.number() })

/**
 * Returns the milliseconds until a queued message can be sent at the rate of its provider, and reserves this time on the
 * first call. Returns null if the message is no longer queued.
 */
export async function takeSlot(db: Db, id: string): Promise<number | null> {
  return await db.transaction(async (tx) => {
    const message = await tx.maybeOne(sql.type(table.Row.pick({ provider_id: true, slot_at: true }))`
      select provider_id, slot_at from sms.messages where id = ${id} and status = 'queued' for no key update`)
    if (!message) return null
    if (message.slot_at === null) {
      await tx.query(sql.typeAlias('void')`
        with paced as (
          update sms.providers
          set paced_until = greatest(paced_until, clock_timestamp()) + interval '1 second' / per_second
          where id = ${message.provider_id} returning paced_until - interval '1 second' / per_second as slot_at)
        update sms.messages as m set slot_at = paced.slot_at from paced where m.id = ${id}`)
    }
    const { wait_ms } = await tx.one(sql.type(Slot)`
      select coalesce(slot_at, now()) as slot_at,
        greatest(0, ceil(extract(epoch from coalesce(slot_at, now()) - clock_timestamp()) * 1000))::integer as wait_ms
      from sms.messages where id = ${id}`)
    return wait_ms
  })
}

/** Marks a queued message as sending. Returns null if the message is no longer queued. */
export async function begin(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update sms.messages set status = 'sending', tries = tries + 1
    where id = ${id} and status = 'queued' returning ${columns}`)
}

/** Queues a message again for a new slot. The provider did not accept it. */
export async function requeue(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update sms.messages set status = 'queued', slot_at = null where id = ${id} and status = 'sending'`)
}
