import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'rooms',
  'chunks',
  z.object({
    recording_id: Id,
    number: z.number(),
    epoch: z.number(),
    key: z.string(),
    bytes: z.number(),
    created_at: z.date(),
  }),
)

type Chunk = z.infer<typeof table.Row>

export async function put(db: Db, chunk: Omit<Chunk, 'created_at'>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(chunk)}
    on conflict (recording_id, number) do update set epoch = excluded.epoch, key = excluded.key, bytes = excluded.bytes`)
}

export async function list(db: Db, recordingId: string): Promise<readonly Chunk[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from rooms.chunks where recording_id = ${recordingId} order by number`)
}

export async function remove(db: Db, recordingId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from rooms.chunks where recording_id = ${recordingId}`)
}

export async function findEnd(db: Db, recordingId: string): Promise<{ number: number; epoch: number }> {
  return await db.one(sql.type(z.object({ number: z.number(), epoch: z.number() }))`
    select coalesce(max(number) + 1, 0) as number, coalesce(max(epoch) + 1, 0) as epoch
    from rooms.chunks where recording_id = ${recordingId}`)
}
