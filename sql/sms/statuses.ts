import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { type Message, MessageError, table as messages, type Status } from './messages.ts'

export const table = defineTable(
  'sms',
  'statuses',
  z.object({ message_id: Id, status: z.string(), at: z.date(), error: MessageError.nullable() }),
)

export type StatusRow = z.infer<typeof table.Row>

export interface StatusReport {
  id: string
  status: Exclude<Status, 'received' | 'queued' | 'sending'>
  at: Date
  error: MessageError | null
}

/**
 * Stores reported statuses. A message gets a status only if the status ranks higher than the current status. So the
 * result does not depend on the order or repetition of reports. Deletes a sensitive text when the provider has it, or
 * when the message failed. Returns the messages whose status changed.
 */
export async function record(tx: Db, told: readonly StatusReport[]): Promise<readonly Message[]> {
  if (told.length === 0) return []
  const given = JSON.stringify(told)
  const idsOf = told.map(({ id }) => id)
  const sameMessage = byKey('m.id', 't.id', allIn(idsOf, 'uuid'))
  const ids = sql.array([...new Set(idsOf)].sort(), 'uuid')
  await tx.any(sql.type(z.object({ id: Id }))`
    select id from sms.messages where id = any(${ids}) order by id for no key update`)
  await tx.query(sql.typeAlias('void')`
    insert into sms.statuses (message_id, status, at, error)
    select distinct on (t.id, t.status) t.id, t.status, least(t.at, now()), t.error
    from jsonb_to_recordset(${given}::jsonb) as t (id uuid, status text, at timestamptz, error jsonb)
    join sms.messages as m on ${sameMessage}
    where m.direction = 'outbound'
    order by t.id, t.status, t.at
    on conflict (message_id, status) do nothing`)
  return await tx.any(sql.type(messages.Row)`
    update sms.messages as m
    set status = t.status,
      error = case when t.status in ('failed', 'undelivered', 'unknown') then t.error end,
      text = case when m.is_sensitive and t.status <> 'unknown' then '' else m.text end,
      sent_at = case when t.status in ('failed', 'unknown') then m.sent_at else coalesce(m.sent_at, now()) end
    from (
      select distinct on (id) * from jsonb_to_recordset(${given}::jsonb)
        as t (id uuid, status text, error jsonb)
      order by id, sms.rank(status) desc
    ) as t
    where ${sameMessage} and m.direction = 'outbound' and sms.rank(t.status) > sms.rank(m.status)
    returning ${messages.columns('m')}`)
}

/** Stores the provider's ID of a message, also if a later status came first. An ID of another message is not stored. */
export async function saveProviderId(tx: Db, id: string, providerMessageId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update sms.messages as m set provider_message_id = ${providerMessageId}
    where id = ${id} and provider_message_id is null and not exists (
      select from sms.messages as o where o.provider_id = m.provider_id and o.provider_message_id = ${providerMessageId})`)
}

/**
 * Returns the message that a report is about: by the ID that Millrace gave the provider, otherwise by the provider's
 * ID. A provider cannot report messages of another provider.
 */
export async function findReported(
  db: Db,
  providerId: string,
  { id, providerMessageId }: { id: string | undefined; providerMessageId: string | undefined },
): Promise<Message | null> {
  return await db.maybeOne(sql.type(messages.Row)`
    select ${messages.columns()} from sms.messages
    where provider_id = ${providerId} and direction = 'outbound'
      and (id = ${id ?? null}::uuid or provider_message_id = ${providerMessageId ?? null})
    order by (id = ${id ?? null}::uuid) desc nulls last limit 1`)
}

export async function listForMessage(db: Db, messageId: string): Promise<readonly StatusRow[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from sms.statuses where message_id = ${messageId} order by at, sms.rank(status)`)
}
