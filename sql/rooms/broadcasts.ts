import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'

export const EndReason = z.enum(['stopped', 'room_ended', 'channel_ended', 'channel_deleted', 'key_changed', 'refused'])

export type EndReason = z.infer<typeof EndReason>

export const table = defineTable(
  'rooms',
  'broadcasts',
  z.object({
    id: Id,
    room_id: Id,
    org_id: Id,
    channel_id: Id,
    stream_key: z.string(),
    state: z.enum(['starting', 'live', 'ended', 'failed']),
    stop_requested: z.boolean(),
    end_reason: EndReason.nullable(),
    message: z.string().nullable(),
    started_at: z.date(),
    live_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
)

export type Broadcast = z.infer<typeof table.Row>

/** Purpose of the encryption of stream keys of broadcasts. The associated data is the broadcast's ID. */
export const sealPurpose = 'video room broadcast'

const columns = table.columns()

export async function insert(
  tx: Db,
  broadcast: Pick<Broadcast, 'id' | 'room_id' | 'org_id' | 'channel_id' | 'stream_key'>,
): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert(broadcast)} on conflict (room_id) where ended_at is null do nothing returning ${columns}`)
}

export async function findOpen(db: Db, roomId: string): Promise<Broadcast | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.broadcasts where room_id = ${roomId} and ended_at is null`)
}

export async function findLast(db: Db, roomId: string): Promise<Broadcast | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.broadcasts where room_id = ${roomId} order by id desc limit 1`)
}

export async function requestStop(tx: Db, roomId: string): Promise<Broadcast | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update rooms.broadcasts set stop_requested = true where room_id = ${roomId} and ended_at is null
    returning ${columns}`)
}

export async function setLive(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.broadcasts set state = 'live', live_at = coalesce(live_at, clock_timestamp())
    where id = ${id} and state = 'starting'`)
}

/** Ends a broadcast once. With `message`, the broadcast failed for this reason. */
export async function setEnded(db: Db, id: string, reason: EndReason, message?: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.broadcasts set state = ${message === undefined ? 'ended' : 'failed'}, end_reason = ${reason},
      message = ${message ?? null}, ended_at = clock_timestamp(), stream_key = ''
    where id = ${id} and ended_at is null`)
}

/** Returns rooms with a broadcast that no worker has opened yet and that are assigned to this worker or to none. */
export async function listWaiting(db: Db, workerId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ room_id: Id }))`
    select r.id as room_id from rooms.rooms as r
    where r.ended_at is null
      and r.id in (
        select room_id from rooms.broadcasts where ended_at is null and not stop_requested
        union select room_id from rooms.restreams where enabled)
      and not exists (
        select from rooms.sessions as s
        where s.room_id = r.id and ${lease(sql.fragment`s.worker_id`)}
          and (s.state = 'open' or s.worker_id <> ${workerId}))
    order by r.id limit 100`)
}

/**
 * Ends broadcasts of rooms that ended this many seconds ago, and broadcasts that were to stop while no worker has the
 * room.
 */
export async function endAbandoned(db: Db, seconds: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.broadcasts as b set state = 'ended', ended_at = clock_timestamp(), stream_key = '',
      end_reason = case when r.ended_at is null then 'stopped' else 'room_ended' end
    from rooms.rooms as r
    where r.id = b.room_id and b.ended_at is null
      and (r.ended_at < clock_timestamp() - make_interval(secs => ${seconds})
        or b.stop_requested and not exists (
          select from rooms.sessions as s where s.room_id = r.id and ${lease(sql.fragment`s.worker_id`)}))`)
}
