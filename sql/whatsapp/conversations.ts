import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { type Contact, getWindow } from './contacts.ts'

export const table = defineTable(
  'whatsapp',
  'conversations',
  z.object({ org_id: Id, wa_id: z.string(), last_inbound_at: z.date().nullable(), paced_until: z.date() }),
  {
    retention: days('WHATSAPP_HISTORY_DAYS', 'last_inbound_at', {
      orNever: true,
      which: 'that are not paced',
      where: sql.fragment`old.paced_until < now()`,
      batch: 1_000,
    }),
  },
)

const Conversation = table.Row.extend({ now: z.date() })

export type Conversation = z.infer<typeof Conversation>

export type Pair = Pick<Conversation, 'org_id' | 'wa_id'>

export const pairKey = ({ org_id, wa_id }: Pair): string => `${org_id} ${wa_id}`

const rowsOf = (pairs: readonly Pair[]) =>
  [...new Map(pairs.map((pair) => [pairKey(pair), pair])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { org_id, wa_id }]) => [org_id, wa_id])

/**
 * Creates missing conversations and locks all in a fixed order until the transaction ends. Returns them by `nameOf`.
 */
export async function lock(tx: Db, pairs: readonly Pair[]): Promise<ReadonlyMap<string, Conversation>> {
  const wanted = sql.fragment`${sql.unnest(rowsOf(pairs), ['uuid', 'text'])} as w (org_id, wa_id)`
  await tx.query(sql.typeAlias('void')`
    insert into whatsapp.conversations (org_id, wa_id) select org_id, wa_id from ${wanted} on conflict do nothing`)
  const rows = await tx.any(sql.type(Conversation)`
    select ${table.columns('c')}, clock_timestamp() as now
    from whatsapp.conversations as c join ${wanted} on w.org_id = c.org_id and w.wa_id = c.wa_id
    order by c.org_id, c.wa_id for update of c`)
  return new Map(rows.map((row) => [pairKey(row), row]))
}

export async function savePacing(tx: Db, paced: readonly (Pair & Pick<Conversation, 'paced_until'>)[]): Promise<void> {
  if (paced.length === 0) return
  const rows = paced.map(({ org_id, wa_id, paced_until }) => [org_id, wa_id, paced_until.toISOString()])
  await tx.query(sql.typeAlias('void')`
    update whatsapp.conversations as c set paced_until = w.paced_until
    from ${sql.unnest(rows, ['uuid', 'text', 'timestamptz'])} as w (org_id, wa_id, paced_until)
    where c.org_id = w.org_id and c.wa_id = w.wa_id`)
}

/** Stores when people last wrote to organisations. The given times may be earlier than the stored times. */
export async function hear(tx: Db, heard: readonly (Pair & { at: string })[]): Promise<void> {
  if (heard.length === 0) return
  const rows = heard.map(({ org_id, wa_id, at }) => [org_id, wa_id, at])
  await tx.query(sql.typeAlias('void')`
    insert into whatsapp.conversations as c (org_id, wa_id, last_inbound_at)
    select org_id, wa_id, max(at) from ${sql.unnest(rows, ['uuid', 'text', 'timestamptz'])} as h (org_id, wa_id, at)
    group by org_id, wa_id order by org_id, wa_id
    on conflict (org_id, wa_id) do update set last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at)`)
}

export async function lastInbound(db: Db, { org_id, wa_id }: Pair): Promise<Date | null> {
  const found = await db.maybeOneFirst(sql.type(table.Row.pick({ last_inbound_at: true }))`
    select last_inbound_at from whatsapp.conversations where org_id = ${org_id} and wa_id = ${wa_id}`)
  return found ?? null
}

export interface ReportedWindow {
  open: boolean
  /** Calculated from the person's messages to this organisation only. */
  expires_at: Date | null
}

/**
 * Returns the window of a person. It may be open because of another organisation, but the time is only from messages to
 * this organisation.
 */
export function getReportedWindow(
  contact: Pick<Contact, 'last_inbound_at' | 'closed_at' | 'now'> | undefined,
  lastInboundAt: Date | null,
): ReportedWindow | null {
  const open = getWindow(contact)?.open ?? false
  const own = contact && getWindow({ ...contact, last_inbound_at: lastInboundAt })
  if (!own) return open ? { open, expires_at: null } : null
  return { open, expires_at: own.open || !open ? own.expires_at : null }
}
