import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import * as platform from './contacts.ts'

export const table = defineTable(
  'whatsapp',
  'number_contacts',
  z.object({
    number_id: Id,
    wa_id: z.string(),
    last_inbound_at: z.date().nullable(),
    closed_at: z.date().nullable(),
  }),
  { retention: days('WHATSAPP_HISTORY_DAYS', 'last_inbound_at', { orNever: true, batch: 1_000 }) },
)

const NumberContact = table.Row.extend({ now: z.date() })

/** A person and a number: an organisation's own number, or `null` for the platform's. */
export interface KnownContact {
  number_id: string | null
  wa_id: string
}

const nameOf = ({ number_id, wa_id }: KnownContact) => `${number_id ?? ''} ${wa_id}`

/** Stores when people last wrote to a number. The given time may be earlier than the stored time. */
export async function hear(tx: Db, numberId: string | null, heard: ReadonlyMap<string, Date>): Promise<void> {
  if (numberId === null) return await platform.recordInbound(tx, heard)
  if (heard.size === 0) return
  const rows = [...heard].sort(([a], [b]) => (a < b ? -1 : 1)).map(([waId, at]) => [waId, at.toISOString()])
  await tx.query(sql.typeAlias('void')`
    insert into whatsapp.number_contacts as c (number_id, wa_id, last_inbound_at)
    select ${numberId}::uuid, wa_id, least(at, now()) from ${sql.unnest(rows, ['text', 'timestamptz'])} as h (wa_id, at)
    on conflict (number_id, wa_id) do update
    set last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at)`)
}

/** Stores that Meta reported a closed window for a message created at `at`. */
export async function close(tx: Db, { number_id, wa_id }: KnownContact, at: Date): Promise<void> {
  if (number_id === null) return await platform.closeWindow(tx, wa_id, at)
  await tx.query(sql.typeAlias('void')`
    update whatsapp.number_contacts set closed_at = greatest(closed_at, least(${at.toISOString()}::timestamptz, now()))
    where number_id = ${number_id} and wa_id = ${wa_id}`)
}

export async function findMany(
  db: Db,
  asked: readonly KnownContact[],
): Promise<(one: KnownContact) => platform.Contact | undefined> {
  const byPlatform = asked.flatMap(({ number_id, wa_id }) => (number_id === null ? wa_id : []))
  const known = byPlatform.length === 0 ? new Map<string, platform.Contact>() : await platform.findMany(db, byPlatform)
  const own = asked.flatMap(({ number_id, wa_id }) => (number_id === null ? [] : [[number_id, wa_id]]))
  const rows =
    own.length === 0
      ? []
      : await db.any(sql.type(NumberContact)`
          select ${table.columns('c')}, now() as now from whatsapp.number_contacts as c
          join ${sql.unnest(own, ['uuid', 'text'])} as w (number_id, wa_id) using (number_id, wa_id)`)
  const byNumber = new Map(rows.map((row) => [nameOf(row), row]))
  return (one) => (one.number_id === null ? known.get(one.wa_id) : byNumber.get(nameOf(one)))
}

/**
 * Returns a person's last message to an organisation: to its own number or, for the platform's number, in their
 * conversation.
 */
export const getLastInbound = (
  { number_id }: Pick<KnownContact, 'number_id'>,
  contact: platform.Contact | undefined,
  inConversation: Date | null,
): Date | null => (number_id === null ? inConversation : (contact?.last_inbound_at ?? null))
