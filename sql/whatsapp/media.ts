import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Files that people sent, on their way through the malware gate. */
export const table = defineTable(
  'whatsapp',
  'media',
  z.object({
    message_id: Id,
    provider_media_id: z.string(),
    state: z.enum(['pending', 'stored', 'refused', 'failed']),
    object_id: Id.nullable(),
    reason: z.string().nullable(),
    created_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

/** A file that a person sent. */
export type Media = z.infer<typeof table.Row>

const columns = table.columns()

/** Notes files that are to be fetched. */
export async function insertMany(
  tx: Db,
  media: readonly Pick<Media, 'message_id' | 'provider_media_id'>[],
): Promise<void> {
  if (media.length === 0) return
  const created_at = new Date().toISOString()
  await tx.query(sql.typeAlias('void')`
    ${table.insertMany(media.map((one) => ({ ...one, state: 'pending' as const, created_at })))} on conflict do nothing`)
}

export async function find(db: Db, messageId: string): Promise<Media | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from whatsapp.media where message_id = ${messageId}`)
}

/** Names the object that a file becomes, in place of one that is gone; false when it is not pending any more, or another is named. */
export async function name(
  tx: Db,
  messageId: string,
  { objectId, before }: { objectId: string; before: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update whatsapp.media set object_id = ${objectId}
    where message_id = ${messageId} and state = 'pending' and object_id is not distinct from ${before}::uuid`)
  return rowCount === 1
}

/** Ends a file's way; null when it has ended. */
export async function end(
  tx: Db,
  messageId: string,
  { state, reason }: { state: Exclude<Media['state'], 'pending'>; reason: string | null },
): Promise<Media | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update whatsapp.media set state = ${state}, reason = ${reason}, ended_at = now()
    where message_id = ${messageId} and state = 'pending' returning ${columns}`)
}
