import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { Reason, State, type Target } from '../live/restreams.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'rooms',
  'restreams',
  z.object({
    id: Id,
    org_id: Id,
    room_id: Id,
    name: z.string(),
    url: z.string(),
    stream_key: z.string(),
    enabled: z.boolean(),
    state: State.nullable(),
    reason: Reason.nullable(),
    told_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export type Restream = z.infer<typeof table.Row>

/** Purpose of the encryption of stream keys of targets. The associated data is the target's ID. */
export const sealPurpose = 'video room restream'

const View = table.Row.extend({ shown: z.enum(['idle', ...State.options]) })

/** A target with its effective state: `idle` while no worker has the room, or while it is turned off. */
export type RestreamView = z.infer<typeof View>

const columns = table.columns('r')

/** Ignores states from before the room was opened, or of a worker that no longer has it. */
const view = sql.fragment`
  select ${columns},
    case when s.room_id is null or not r.enabled then 'idle'
      when r.told_at >= s.assigned_at and r.state is not null then r.state else 'connecting' end as shown
  from rooms.restreams as r
  left join rooms.sessions as s
    on s.room_id = r.room_id and ${lease(sql.fragment`s.worker_id`)}
      and exists (select from rooms.rooms as o where o.id = r.room_id and o.ended_at is null)`

export async function lockCount(tx: Db, orgId: string, roomId: string): Promise<number> {
  await lockOrgLimit(tx, orgId, 'rooms.restreams')
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from rooms.restreams where room_id = ${roomId}`)
}

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

export async function insert(
  tx: Db,
  restream: Pick<Restream, 'id' | 'org_id' | 'room_id' | 'name' | 'url' | 'stream_key' | 'enabled'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(restream)}`)
}

export async function find(db: Db, roomId: string, id: string): Promise<RestreamView | null> {
  return await db.maybeOne(sql.type(View)`${view} where r.id = ${id} and r.room_id = ${roomId}`)
}

export async function list(
  db: Db,
  roomId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly RestreamView[]> {
  return await db.any(sql.type(View)`
    ${view} where r.room_id = ${roomId} and (${before ?? null}::uuid is null or r.id < ${before ?? null})
    order by r.id desc limit ${limit}`)
}

export async function listEnabled(db: Db, roomId: string): Promise<readonly Target[]> {
  return await db.any(sql.type(table.Row.pick({ id: true, url: true, stream_key: true }))`
    select id, url, stream_key from rooms.restreams where room_id = ${roomId} and enabled order by id`)
}

/** Updates a target. Returns false if it does not exist. Resets its state, which belongs to the previous URL or key. */
export async function update(
  tx: Db,
  roomId: string,
  id: string,
  changes: { [K in 'name' | 'url' | 'stream_key' | 'enabled']?: Restream[K] | undefined },
): Promise<boolean> {
  const isNew = changes.url !== undefined || changes.stream_key !== undefined || changes.enabled !== undefined
  const untold = isNew ? sql.fragment`, state = null, reason = null, told_at = null` : sql.fragment``
  const updated = await tx.query(sql.typeAlias('void')`
    update rooms.restreams set ${table.set(changes)} ${untold} where id = ${id} and room_id = ${roomId}`)
  return updated.rowCount === 1
}

export async function remove(tx: Db, roomId: string, id: string): Promise<boolean> {
  const removed = await tx.query(sql.typeAlias('void')`
    delete from rooms.restreams where id = ${id} and room_id = ${roomId}`)
  return removed.rowCount === 1
}

/**
 * Stores the state that the worker of the room reports. Does nothing if another worker has the room, or if the target
 * was changed.
 */
export async function setState(
  db: Db,
  workerId: string,
  { id, url, stream_key }: Target,
  { state, reason }: { state: State; reason: Reason | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.restreams as r set state = ${state}, reason = ${reason}, told_at = clock_timestamp()
    from rooms.sessions as s
    where r.id = ${id} and r.url = ${url} and r.stream_key = ${stream_key} and r.enabled
      and s.room_id = r.room_id and s.worker_id = ${workerId}`)
}

/** Deletes the stream keys of a room that ends, so that it can never be sent to its targets again. */
export async function removeKeys(tx: Db, roomId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.restreams set stream_key = '', enabled = false where room_id = ${roomId}`)
}
