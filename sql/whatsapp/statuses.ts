import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { MessageError, table as messages, type Status } from './messages.ts'

export const table = defineTable(
  'whatsapp',
  'statuses',
  z.object({ message_id: Id, status: z.string(), at: z.date(), error: MessageError.nullable() }),
)

export type StatusRow = z.infer<typeof table.Row>

export interface StatusReport {
  id: string
  status: Exclude<Status, 'received' | 'queued' | 'sending'>
  at: Date
  error: MessageError | null
  wamid: string | null
}

/**
 * Stores reported statuses. A message gets a status only if the status ranks higher than the current status. So the
 * result does not depend on the order or repetition of reports. Returns the messages whose status changed.
 */
export async function record(tx: Db, told: readonly StatusReport[]): Promise<readonly z.infer<typeof messages.Row>[]> {
  if (told.length === 0) return []
  const given = JSON.stringify(told)
  const idsOf = told.map(({ id }) => id)
  const sameMessage = byKey('m.id', 't.id', allIn(idsOf, 'uuid'))
  const ids = sql.array([...new Set(told.map(({ id }) => id))].sort(), 'uuid')
  await tx.any(sql.type(z.object({ id: Id }))`
    select id from whatsapp.messages where id = any(${ids}) order by id for no key update`)
  await tx.query(sql.typeAlias('void')`
    insert into whatsapp.statuses (message_id, status, at, error)
    select distinct on (t.id, t.status) t.id, t.status, least(t.at, now()), t.error
    from jsonb_to_recordset(${given}::jsonb) as t (id uuid, status text, at timestamptz, error jsonb)
    join whatsapp.messages as m on ${sameMessage}
    order by t.id, t.status, t.at
    on conflict (message_id, status) do nothing`)
  return await tx.any(sql.type(messages.Row)`
    update whatsapp.messages as m
    set status = t.status, provider_message_id = coalesce(m.provider_message_id, t.wamid),
      error = case when t.status in ('failed', 'unknown') then t.error end,
      taken_at = case when t.status in ('failed', 'unknown') then m.taken_at else coalesce(m.taken_at, now()) end
    from (
      select distinct on (id) * from jsonb_to_recordset(${given}::jsonb)
        as t (id uuid, status text, error jsonb, wamid text)
      order by id, whatsapp.rank(status) desc
    ) as t
    where ${sameMessage} and m.direction = 'outbound' and whatsapp.rank(t.status) > whatsapp.rank(m.status)
    returning ${messages.columns('m')}`)
}

/** Stores a message's provider ID and account, even if a later status arrived first. */
export async function saveProviderId(
  tx: Db,
  id: string,
  { wamid, waId }: { wamid: string; waId: string },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update whatsapp.messages set provider_message_id = ${wamid}, wa_id = ${waId} where id = ${id}`)
}

/** Returns the messages that a number sent. A webhook cannot change messages of another number. */
export async function filterSentBy(
  db: Db,
  numberId: string | null,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const found = await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from whatsapp.messages
    where id = any(${sql.array([...ids], 'uuid')}) and number_id is not distinct from ${numberId}::uuid`)
  return new Set(found)
}

export async function findIds(db: Db, wamids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(z.object({ id: Id, provider_message_id: z.string() }))`
    select id, provider_message_id from whatsapp.messages
    where provider_message_id = any(${sql.array([...wamids], 'text')}) and direction = 'outbound'`)
  return new Map(rows.map(({ id, provider_message_id }) => [provider_message_id, id]))
}

export async function listForMessage(db: Db, messageId: string): Promise<readonly StatusRow[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from whatsapp.statuses where message_id = ${messageId}
    order by at, whatsapp.rank(status)`)
}
