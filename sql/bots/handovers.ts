import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'bots',
  'handovers',
  z.object({
    conversation_id: Id,
    id: Id,
    org_id: Id,
    bot_id: Id,
    reason: z.enum(['asked', 'unanswered', 'requested', 'channel']),
    note: z.string().nullable(),
    last_message: z.string(),
    waits: z.boolean(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Handover = z.infer<typeof table.Row>

const columns = table.columns()

/** Starts a handover. Returns `null` if a handover is already in progress. */
export async function insert(
  tx: Db,
  handover: Pick<Handover, 'id' | 'conversation_id' | 'org_id' | 'bot_id' | 'reason' | 'note' | 'last_message'>,
): Promise<Handover | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(handover)} on conflict (conversation_id) do nothing returning ${columns}`)
}

export async function find(db: Db, orgId: string, conversationId: string): Promise<Handover | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from bots.handovers where conversation_id = ${conversationId} and org_id = ${orgId}`)
}

export async function updateLastMessage(
  tx: Db,
  conversationId: string,
  message: string,
  waits: boolean,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.handovers set last_message = ${message}, waits = ${waits}, updated_at = now()
    where conversation_id = ${conversationId}`)
}

export async function remove(tx: Db, conversationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from bots.handovers where conversation_id = ${conversationId}`)
  return rowCount === 1
}

const Listed = table.Row.extend({
  bot_name: z.string(),
  user_id: z.string().nullable(),
  channel_id: Id.nullable(),
  contact: z.string().nullable(),
  contact_verified: z.boolean(),
})

export type Listed = z.infer<typeof Listed>

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    select ${table.columns('h')}, b.name as bot_name, c.user_id, c.channel_id, c.contact, c.contact_verified
    from bots.handovers as h join bots.bots as b on b.id = h.bot_id join bots.conversations as c on c.id = h.conversation_id
    where h.org_id = ${orgId} and (${before ?? null}::uuid is null or h.id < ${before ?? null})
    order by h.id desc limit ${limit}`)
}
