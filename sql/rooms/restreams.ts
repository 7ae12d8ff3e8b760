import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { restreamQueries, targetColumns } from '../live/restream-queries.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const table = defineTable('rooms', 'restreams', z.object({ id: Id, org_id: Id, room_id: Id, ...targetColumns }))

/** Purpose of the encryption of stream keys of targets. The associated data is the target's ID. */
export const sealPurpose = 'video room restream'

/** Ignores states from before the room was opened, or of a worker that no longer has it. */
export const roomRestreams = restreamQueries({
  table,
  limit: 'rooms.restreams',
  ownerColumn: 'room_id',
  sessions: sql.fragment`rooms.sessions`,
  startedAt: sql.fragment`s.assigned_at`,
  hasWorker: sql.fragment`${lease(sql.fragment`s.worker_id`)}
    and exists (select from rooms.rooms as o where o.id = r.room_id and o.ended_at is null)`,
})

/**
 * Locks the targets of an organisation until the transaction ends. Returns the number of its other open rooms with
 * enabled targets. A room counts even if it is empty or no target accepts it, because its video is still composed.
 */
export async function lockRoomsOnAir(tx: Db, orgId: string, roomId: string): Promise<number> {
  await lockOrgLimit(tx, orgId, 'rooms.restreams')
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(distinct r.room_id)::integer as count
    from rooms.restreams as r join rooms.rooms as o on o.id = r.room_id
    where r.org_id = ${orgId} and r.enabled and r.room_id <> ${roomId} and o.ended_at is null`)
}

/** Deletes the stream keys of a room that ends, so that it can never be sent to its targets again. */
export async function removeKeys(tx: Db, roomId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.restreams set stream_key = '', enabled = false where room_id = ${roomId}`)
}
