import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

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

export type Media = z.infer<typeof table.Row>

const columns = table.columns()

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

/**
 * Stores the object of a file. Replaces a deleted object. Returns false if the file is no longer pending or has another
 * object.
 */
export async function saveObject(
  tx: Db,
  messageId: string,
  { objectId, before }: { objectId: string; before: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update whatsapp.media set object_id = ${objectId}
    where message_id = ${messageId} and state = 'pending' and object_id is not distinct from ${before}::uuid`)
  return rowCount === 1
}

export async function end(
  tx: Db,
  messageId: string,
  { state, reason }: { state: Exclude<Media['state'], 'pending'>; reason: string | null },
): Promise<Media | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update whatsapp.media set state = ${state}, reason = ${reason}, ended_at = now()
    where message_id = ${messageId} and state = 'pending' returning ${columns}`)
}
