import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const keepDays = 7

/** Maximum size of an inbox. The oldest messages are deleted first. */
export const limits = { messages: 1_000, bytes: 16 * 2 ** 20 } as const

export const Channel = z.enum(['email', 'push', 'whatsapp', 'sms', 'chat', 'voice', 'notify'])

/**
 * Channel of a test message. For `notify`, the message is an event, and its emails and pushes are separate messages.
 */
export type Channel = z.infer<typeof Channel>

const fields = z.record(z.string(), z.unknown())

export const table = defineTable(
  'account',
  'test_messages',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    channel: Channel,
    recipient: z.string(),
    title: z.string(),
    content: fields.nullable(),
    record: fields.nullable(),
    bytes: z.number(),
    created_at: z.date(),
  }),
  { retention: days(keepDays, 'created_at', { batch: 1_000 }) },
)

export type TestMessage = z.infer<typeof table.Row>

export type NewTestMessage = Omit<TestMessage, 'created_at'>

const Listed = table.Row.omit({ content: true, record: true, bytes: true })

export type ListedTestMessage = z.infer<typeof Listed>

export async function insertMany(tx: Db, messages: readonly NewTestMessage[]): Promise<void> {
  if (messages.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(messages)}`)
}

/** Deletes the oldest messages above the limits. Skips rows that another transaction is deleting. */
export async function trim(tx: Db, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from account.test_messages where id = any(array(
      select id from account.test_messages where org_id = ${orgId} and id in (
        select id from (
          select id, row_number() over newest as place, sum(bytes) over newest as bytes
          from account.test_messages where org_id = ${orgId} window newest as (order by id desc)
        ) as counted where place > ${limits.messages} or bytes > ${limits.bytes})
      for update skip locked))`)
}

export const filters = { channel: table.equals('channel'), to: table.equals('recipient') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ListedTestMessage[]> {
  return await db.any(sql.type(Listed)`
    select id, org_id, key_id, channel, recipient, title, created_at from account.test_messages
    where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<TestMessage | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.test_messages where org_id = ${orgId} and id = ${id}`)
}

/** Returns the stored response of a test message. `null` if the message does not exist. */
export async function findRecord(db: Db, orgId: string, channel: Channel, id: string): Promise<object | null> {
  return await db.maybeOneFirst(sql.type(z.object({ record: fields }))`
    select record from account.test_messages
    where org_id = ${orgId} and id = ${id} and channel = ${channel} and record is not null`)
}

export async function findRecordWith(
  db: Db,
  orgId: string,
  channel: Channel,
  wanted: Readonly<Record<string, string>>,
): Promise<object | null> {
  return await db.maybeOneFirst(sql.type(z.object({ record: fields }))`
    select record from account.test_messages
    where org_id = ${orgId} and channel = ${channel} and record @> ${sql.jsonb(wanted)}
    order by id desc limit 1`)
}

export async function clear(tx: Db, orgId: string): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from account.test_messages where org_id = ${orgId}`)
  return rowCount
}
