import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const windowHours = 24

export const table = defineTable(
  'whatsapp',
  'contacts',
  z.object({
    wa_id: z.string(),
    last_inbound_at: z.date().nullable(),
    closed_at: z.date().nullable(),
  }),
  { retention: days('WHATSAPP_HISTORY_DAYS', 'last_inbound_at', { orNever: true, batch: 1_000 }) },
)

/** Phone numbers whose WhatsApp account has different digits. */
export const numbers = defineTable('whatsapp', 'numbers', z.object({ phone: z.string(), wa_id: z.string() }))

const Contact = table.Row.extend({ now: z.date() })

export type Contact = z.infer<typeof Contact>

/** Returns the WhatsApp accounts of phone numbers in E.164. By default, the account has the same digits. */
export async function findAccounts(db: Db, phones: readonly string[]): Promise<(phone: string) => string> {
  const rows = await db.any(sql.type(numbers.Row)`
    select ${numbers.columns()} from whatsapp.numbers where phone = any(${sql.array([...new Set(phones)], 'text')})`)
  const known = new Map(rows.map(({ phone, wa_id }) => [phone, wa_id]))
  return (phone) => known.get(phone) ?? phone.slice(1)
}

export async function saveAccount(tx: Db, phone: string, waId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${numbers.insert({ phone, wa_id: waId })} on conflict (phone) do update set wa_id = excluded.wa_id`)
}

/** Stores when people last wrote. The given time may be earlier than the stored time. */
export async function recordInbound(tx: Db, heard: ReadonlyMap<string, Date>): Promise<void> {
  if (heard.size === 0) return
  const rows = [...heard].sort(([a], [b]) => (a < b ? -1 : 1)).map(([waId, at]) => [waId, at.toISOString()])
  await tx.query(sql.typeAlias('void')`
    insert into whatsapp.contacts as c (wa_id, last_inbound_at)
    select wa_id, least(at, now()) from ${sql.unnest(rows, ['text', 'timestamptz'])} as h (wa_id, at)
    on conflict (wa_id) do update set last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at)`)
}

/** Stores that Meta reported a closed window for a message created at `at`. */
export async function closeWindow(tx: Db, waId: string, at: Date): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update whatsapp.contacts set closed_at = greatest(closed_at, least(${at.toISOString()}::timestamptz, now()))
    where wa_id = ${waId}`)
}

export async function findMany(db: Db, waIds: readonly string[]): Promise<ReadonlyMap<string, Contact>> {
  const rows = await db.any(sql.type(Contact)`
    select ${table.columns()}, now() as now from whatsapp.contacts
    where wa_id = any(${sql.array([...new Set(waIds)], 'text')})`)
  return new Map(rows.map((row) => [row.wa_id, row]))
}

export function getWindow(
  contact: Pick<Contact, 'last_inbound_at' | 'closed_at' | 'now'> | undefined,
): { open: boolean; expires_at: Date } | null {
  if (!contact?.last_inbound_at) return null
  const { last_inbound_at, closed_at, now } = contact
  const expires_at = new Date(last_inbound_at.getTime() + windowHours * 3_600_000)
  return { open: expires_at > now && (closed_at === null || closed_at < last_inbound_at), expires_at }
}
