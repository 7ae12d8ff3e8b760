import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { createFiller, defineTable, type GivenRow } from '../table.ts'

/** Reason why a message was not sent or delivered: Millrace’s error code and the code of the Cloud API. */
export const MessageError = z.object({
  code: z.string(),
  message: z.string(),
  provider_code: z.number().nullable(),
  retryable: z.boolean(),
  status: z.number(),
  retry_after: z.number().nullable(),
  upstream_status: z.number().nullable(),
})

export type MessageError = z.infer<typeof MessageError>

const fields = z.record(z.string(), z.unknown())

export const table = defineTable(
  'whatsapp',
  'messages',
  z.object({
    id: Id,
    org_id: Id,
    direction: z.enum(['outbound', 'inbound']),
    phone: z.string(),
    wa_id: z.string(),
    type: z.string(),
    content: fields,
    fallback: fields.nullable(),
    fell_back: z.boolean(),
    fallback_of: Id.nullable(),
    context_message_id: z.string().nullable(),
    client_reference: z.string().nullable(),
    status: z.enum(['received', 'queued', 'sending', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read']),
    error: MessageError.nullable(),
    provider_message_id: z.string().nullable(),
    send_at: z.date(),
    tries: z.number(),
    created_at: z.date(),
    taken_at: z.date().nullable(),
    number_id: Id.nullable(),
    uploads: z.record(z.string(), z.string()).nullable(),
  }),
  { retention: days('WHATSAPP_HISTORY_DAYS', 'id', { batch: 1_000 }) },
)

export type Message = z.infer<typeof table.Row>

export type Status = Message['status']

const columns = table.columns()

/** Columns of an outbound message that its request gives. */
const Given = table.Row.omit({
  ...{ id: true, direction: true, wa_id: true, fell_back: true, status: true, error: true },
  ...{ provider_message_id: true, send_at: true, tries: true, created_at: true, taken_at: true },
  ...{ number_id: true, uploads: true },
})

export type GivenMessage = GivenRow<typeof Given>

export const fill = createFiller(Given)

export type NewMessage = Partial<z.infer<typeof Given>> &
  Pick<
    Message,
    'id' | 'org_id' | 'direction' | 'phone' | 'wa_id' | 'type' | 'content' | 'status' | 'context_message_id'
  > &
  Partial<Pick<Message, 'fell_back' | 'provider_message_id' | 'number_id'>> & {
    send_at: string
    created_at: string
  }

/** Adds messages, except those whose provider ID exists. Returns the IDs of added messages. */
export async function insertMany(tx: Db, messages: readonly NewMessage[]): Promise<readonly string[]> {
  if (messages.length === 0) return []
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    ${table.insertMany(messages)} on conflict (provider_message_id) do nothing returning id`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from whatsapp.messages where id = ${id} and org_id = ${orgId}`)
}

export async function findMany(db: Db, ids: readonly string[]): Promise<readonly Message[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from whatsapp.messages where id = any(${sql.array([...ids], 'uuid')})`)
}

/** Returns a queued message of any organisation. `null` if the message is no longer queued. */
export async function findQueued(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from whatsapp.messages where id = ${id} and status = 'queued'`)
}

export async function saveUploads(db: Db, id: string, uploads: Readonly<Record<string, string>>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update whatsapp.messages set uploads = ${sql.jsonb(uploads)} where id = ${id} and status = 'queued'`)
}

export const filters = {
  direction: table.equals('direction'),
  /** Messages that are being sent are shown as queued. */
  status: (status: Status) =>
    sql.fragment`status = any(${sql.array(status === 'queued' ? ['queued', 'sending'] : [status], 'text')})`,
  phone: table.equals('phone'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Message[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from whatsapp.messages where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns the latest messages with a person, newest first. */
export async function listForPerson(
  db: Db,
  { org_id, wa_id }: Pick<Message, 'org_id' | 'wa_id'>,
  limit: number,
): Promise<readonly Message[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from whatsapp.messages where org_id = ${org_id} and wa_id = ${wa_id} order by id desc limit ${limit}`)
}

export async function findStatuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Status>> {
  const rows = await db.any(sql.type(table.Row.pick({ id: true, status: true }))`
    select id, status from whatsapp.messages where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** Returns a due message and marks it as sending. Returns `null` if the message is no longer queued. */
export async function begin(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update whatsapp.messages set status = 'sending', tries = tries + 1
    where id = ${id} and status = 'queued' returning ${columns}`)
}

export async function requeue(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update whatsapp.messages set status = 'queued' where id = ${id} and status = 'sending'`)
}

export async function replaceByFallback(db: Db, id: string): Promise<Message | null> {
  return await db.maybeOne(sql.type(table.Row)`
    update whatsapp.messages
    set type = 'template', content = fallback, fallback = null, fell_back = true, context_message_id = null
    where id = ${id} and status = 'sending' and fallback is not null returning ${columns}`)
}

/**
 * Returns the organisations of messages to the platform’s number: the organisation whose message is quoted, otherwise
 * the last organisation whose message the person received.
 */
export async function findOwners(
  tx: Db,
  heard: readonly { provider_message_id: string; wa_id: string; context_message_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  if (heard.length === 0) return new Map()
  const rows = await tx.any(sql.type(z.object({ id: z.string(), org_id: Id }))`
    select h.id, coalesce(q.org_id, l.org_id) as org_id
    from ${sql.unnest(
      heard.map(({ provider_message_id, wa_id, context_message_id }) => [
        provider_message_id,
        wa_id,
        context_message_id,
      ]),
      ['text', 'text', 'text'],
    )} as h (id, wa_id, quoted)
    left join whatsapp.messages as q on q.provider_message_id = h.quoted and q.number_id is null
    left join lateral (
      (
        select org_id, taken_at as at, id from whatsapp.messages
        where wa_id = h.wa_id and taken_at is not null and status <> 'failed' and number_id is null
        order by taken_at desc, id desc limit 1
      )
      union all
      -- The previous release does not set taken_at.
      (
        select org_id, created_at, id from whatsapp.messages
        where wa_id = h.wa_id and direction = 'outbound' and taken_at is null and number_id is null
          and status in ('accepted', 'sent', 'delivered', 'read')
        order by id desc limit 1
      )
      order by at desc, id desc limit 1
    ) as l on true
    where coalesce(q.org_id, l.org_id) is not null`)
  return new Map(rows.map(({ id, org_id }) => [id, org_id]))
}
