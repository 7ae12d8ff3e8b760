import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { type Label, table as labels } from './labels.ts'

export const table = defineTable(
  'bots',
  'conversation_labels',
  z.object({
    conversation_id: Id,
    label_id: Id,
    org_id: Id,
    handover_id: Id.nullable(),
    created_at: z.date(),
  }),
)

/** Returns the labels of a conversation, oldest label first. */
export async function listOf(db: Db, conversationId: string): Promise<readonly Label[]> {
  return await db.any(sql.type(labels.Row)`
    select ${labels.columns('n')} from bots.conversation_labels as k join bots.labels as n on n.id = k.label_id
    where k.conversation_id = ${conversationId} order by n.id`)
}

/** Replaces the labels of a conversation. The caller must hold the locks of the conversation and of the labels. */
export async function replace(
  tx: Db,
  { conversationId, orgId }: { conversationId: string; orgId: string },
  labelIds: readonly string[],
): Promise<void> {
  const wanted = sql.array([...labelIds], 'uuid')
  await tx.query(sql.typeAlias('void')`
    delete from bots.conversation_labels where conversation_id = ${conversationId} and label_id <> all(${wanted})`)
  await tx.query(sql.typeAlias('void')`
    insert into bots.conversation_labels (conversation_id, label_id, org_id, handover_id)
    select ${conversationId}, label_id, ${orgId}, (select id from bots.handovers where conversation_id = ${conversationId})
    from unnest(${wanted}) as w (label_id) on conflict do nothing`)
}

/** Stores the handover in progress with the labels of its conversation. `null` if it has ended. */
export async function setHandover(tx: Db, conversationId: string, handoverId: string | null): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update bots.conversation_labels set ${table.set({ handover_id: handoverId })} where conversation_id = ${conversationId}`)
}
