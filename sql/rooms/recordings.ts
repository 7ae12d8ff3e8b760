import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'rooms',
  'recordings',
  z.object({
    id: Id,
    room_id: Id,
    org_id: Id,
    asset_id: Id.nullable(),
    state: z.enum(['starting', 'recording', 'stored', 'recorded', 'failed']),
    message: z.string().nullable(),
    started_at: z.date(),
    ended_at: z.date().nullable(),
  }),
)

/** The recording of a room, from its first publisher to the end of the room. */
type Recording = z.infer<typeof table.Row>

const columns = table.columns()

/** Returns the open recording of a room. If the room has none, creates it with this ID. */
export async function open(tx: Db, recording: Pick<Recording, 'id' | 'room_id' | 'org_id'>): Promise<Recording> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert(recording)}
    on conflict (room_id) where ended_at is null do update set room_id = excluded.room_id returning ${columns}`)
}

export async function findOpen(db: Db, roomId: string): Promise<Recording | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.recordings where room_id = ${roomId} and ended_at is null`)
}

export async function findAny(db: Db, id: string): Promise<Recording | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from rooms.recordings where id = ${id}`)
}

export async function setRecording(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.recordings set state = 'recording' where id = ${id} and state = 'starting'`)
}

/** Ends a recording. Returns the row the first time, and null afterwards. */
export async function setStored(tx: Db, id: string): Promise<Recording | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update rooms.recordings set state = 'stored', ended_at = clock_timestamp()
    where id = ${id} and ended_at is null returning ${columns}`)
}

export async function setAsset(tx: Db, id: string, assetId: string): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update rooms.recordings set asset_id = ${assetId}, state = 'recorded' where id = ${id} and asset_id is null`)
  return set.rowCount === 1
}

export async function setFailed(tx: Db, id: string, message: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.recordings set state = 'failed', message = ${message} where id = ${id} and asset_id is null`)
}

/** Returns open recordings of rooms that ended at least this many seconds ago. */
export async function listAbandoned(db: Db, seconds: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select c.id from rooms.recordings as c join rooms.rooms as r on r.id = c.room_id
    where c.ended_at is null and r.ended_at < clock_timestamp() - make_interval(secs => ${seconds})`)
}

export async function listByRoom(db: Db, roomId: string): Promise<readonly Recording[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from rooms.recordings where room_id = ${roomId} order by id desc`)
}
