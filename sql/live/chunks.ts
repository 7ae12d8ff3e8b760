import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'live',
  'chunks',
  z.object({
    broadcast_id: Id,
    number: z.number(),
    epoch: z.number(),
    key: z.string(),
    bytes: z.number(),
    duration_seconds: z.number(),
    created_at: z.date(),
  }),
)

export type Chunk = z.infer<typeof table.Row>

/** Stores the metadata of an uploaded object. Replaces an entry with the same number. */
export async function put(db: Db, chunk: Omit<Chunk, 'created_at'>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(chunk)}
    on conflict (broadcast_id, number) do update set epoch = excluded.epoch, key = excluded.key, bytes = excluded.bytes,
      duration_seconds = excluded.duration_seconds`)
}

export async function list(db: Db, broadcastId: string): Promise<readonly Chunk[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from live.chunks where broadcast_id = ${broadcastId} order by number`)
}

/** Returns the length and the size of all stored chunks of a broadcast. */
export async function measure(db: Db, broadcastId: string): Promise<{ seconds: number; bytes: number }> {
  return await db.one(sql.type(z.object({ seconds: z.number(), bytes: z.coerce.number() }))`
    select coalesce(sum(duration_seconds), 0)::float8 as seconds, coalesce(sum(bytes), 0) as bytes
    from live.chunks where broadcast_id = ${broadcastId}`)
}

export async function remove(tx: Db, broadcastId: string): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ key: z.string() }))`
    delete from live.chunks where broadcast_id = ${broadcastId} returning key`)
}
