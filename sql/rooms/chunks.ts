import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** What recordings of rooms are made of. */
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

/** An object in storage that holds some seconds of a recording. */
type Chunk = z.infer<typeof table.Row>

/** Records an object once it is in storage; the same number again replaces what was noted. */
export async function put(db: Db, chunk: Omit<Chunk, 'created_at'>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(chunk)}
    on conflict (recording_id, number) do update set epoch = excluded.epoch, key = excluded.key, bytes = excluded.bytes`)
}

/** A recording's objects in the order in which they came. */
export async function list(db: Db, recordingId: string): Promise<readonly Chunk[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from rooms.chunks where recording_id = ${recordingId} order by number`)
}

/** Forgets a recording's objects. */
export async function remove(db: Db, recordingId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from rooms.chunks where recording_id = ${recordingId}`)
}

/** Where a recording goes on. */
export async function findEnd(db: Db, recordingId: string): Promise<{ number: number; epoch: number }> {
  return await db.one(sql.type(z.object({ number: z.number(), epoch: z.number() }))`
    select coalesce(max(number) + 1, 0) as number, coalesce(max(epoch) + 1, 0) as epoch
    from rooms.chunks where recording_id = ${recordingId}`)
}
