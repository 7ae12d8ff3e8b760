import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lease } from '../jobs/lease.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

export const EndReason = z.enum(['ended', 'empty'])

export const ChatRule = z.enum(['all', 'publishers', 'off'])

export const Layout = z.enum(['grid', 'speaker', 'screen'])

export const table = defineTable(
  'rooms',
  'rooms',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    max_participants: z.number(),
    record: z.boolean(),
    empty_timeout_seconds: z.number(),
    chat: ChatRule,
    waiting_room: z.boolean(),
    layout: Layout,
    created_at: z.date(),
    started_at: z.date().nullable(),
    empty_since: z.date().nullable(),
    ended_at: z.date().nullable(),
    end_reason: EndReason.nullable(),
  }),
  { retention: days('ROOMS_RETENTION_DAYS', 'ended_at', { batch: 1_000 }) },
)

export type Room = z.infer<typeof table.Row>

export const Settings = table.Row.pick({ chat: true, waiting_room: true, layout: true })

export type Settings = z.infer<typeof Settings>

export type SettingsChange = { [Name in keyof Settings]?: Settings[Name] | undefined }

export const View = table.Row.extend({ present: z.number(), publishing: z.number() })

export type View = z.infer<typeof View>

/** Postgres channel that notifies workers of a changed room. The payload is its ID. */
export const roomChannel = 'video_rooms'

const columns = table.columns()

/** Only participants whose worker has the room count. A room of a dead worker is empty. */
const shown = sql.fragment`${getColumns(table.Row, 'r')}, p.present, p.publishing
  from rooms.rooms as r, lateral (
    select count(*)::integer as present, count(*) filter (where p.state = 'publishing')::integer as publishing
    from rooms.participants as p
      join rooms.sessions as s on s.room_id = p.room_id and s.worker_id = p.worker_id
    where p.room_id = r.id and p.left_at is null and ${lease(sql.fragment`s.worker_id`)}) as p`

export async function insert(
  tx: Db,
  room: Pick<Room, 'id' | 'org_id' | 'name' | 'max_participants' | 'record' | 'empty_timeout_seconds'> & SettingsChange,
): Promise<Room> {
  return await tx.one(sql.type(table.Row)`${table.insert(room)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<View | null> {
  return await db.maybeOne(sql.type(View)`select ${shown} where r.id = ${id} and r.org_id = ${orgId}`)
}

/**
 * Updates at least one setting of an open room and notifies its worker. Returns false if the room does not exist or has
 * ended.
 */
export async function setSettings(tx: Db, id: string, settings: SettingsChange): Promise<boolean> {
  const set = await tx.query(sql.typeAlias('void')`
    update rooms.rooms set ${table.set(settings)} where id = ${id} and ended_at is null`)
  if (set.rowCount === 0) return false
  await notifyChanged(tx, id)
  return true
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly View[]> {
  return await db.any(sql.type(View)`
    select ${shown} where r.org_id = ${orgId} and (${before ?? null}::uuid is null or r.id < ${before ?? null})
    order by r.id desc limit ${limit}`)
}

export async function findAny(db: Db, id: string): Promise<Room | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from rooms.rooms where id = ${id}`)
}

export async function listEnded(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const ended = await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from rooms.rooms where id = any(${sql.array([...ids], 'uuid')}) and ended_at is not null`)
  return new Set(ended)
}

/** Locks an open room until the transaction ends, so that joins are counted one after the other. */
export async function lockOpen(tx: Db, id: string): Promise<Room | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.rooms where id = ${id} and ended_at is null for no key update`)
}

/** Marks a room as occupied. Returns true if this is its first participant. */
export async function setOccupied(tx: Db, id: string): Promise<boolean> {
  const first = await tx.oneFirst(sql.type(z.object({ first: z.boolean() }))`
    with before as (select started_at from rooms.rooms where id = ${id})
    update rooms.rooms set started_at = coalesce(started_at, clock_timestamp()), empty_since = null
    where id = ${id} returning (select started_at is null from before) as first`)
  return first
}

export async function setEmpty(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.rooms as r set empty_since = clock_timestamp()
    where id = any(${sql.array([...ids], 'uuid')}) and empty_since is null and started_at is not null
      and not exists (select from rooms.participants as p where p.room_id = r.id and p.left_at is null)`)
}

/** Ends a room. Returns null if it does not exist or has already ended. */
export async function setEnded(tx: Db, id: string, reason: z.infer<typeof EndReason>): Promise<Room | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update rooms.rooms set ended_at = clock_timestamp(), end_reason = ${reason}
    where id = ${id} and ended_at is null returning ${columns}`)
}

/** Returns rooms that have been empty for too long and locks them until the transaction ends. */
export async function listOverdue(tx: Db): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select id from rooms.rooms
    where ended_at is null and empty_since is not null
      and empty_since < clock_timestamp() - make_interval(secs => empty_timeout_seconds)
    order by empty_since limit 100 for no key update skip locked`)
}

export async function listOpen(db: Db, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from rooms.rooms where org_id = ${orgId} and ended_at is null order by id`)
}

export async function notifyChanged(tx: Db, id: string): Promise<void> {
  await tx.query(sql.type(z.object({ notified: z.unknown() }))`select pg_notify(${roomChannel}, ${id}) as notified`)
}
