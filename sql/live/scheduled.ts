import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Page } from '../filters.ts'
import { isOlder } from '../filters.ts'
import { defineTable } from '../table.ts'

export const State = z.enum(['scheduled', 'started', 'missed'])

export const table = defineTable(
  'live',
  'scheduled_broadcasts',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    title: z.string(),
    description: z.string(),
    poster_url: z.string().nullable(),
    starts_at: z.date(),
    /** Minutes before the start at which a reminder is sent. */
    reminder_minutes: z.array(z.number()),
    reminded_minutes: z.array(z.number()),
    late_minutes: z.number(),
    state: State,
    broadcast_id: Id.nullable(),
    revision: z.number(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export type Scheduled = z.infer<typeof table.Row>

type Settings = Pick<
  Scheduled,
  'title' | 'description' | 'poster_url' | 'starts_at' | 'reminder_minutes' | 'late_minutes'
>

type Changes = { [Name in keyof Settings]?: Settings[Name] | undefined }

/** A broadcast that goes live up to this long before or after the start time is the scheduled one. */
const [earlyMinutes, lateHours] = [30, 12]

/** Maximum number of upcoming broadcasts that viewers get. */
const shownUpcoming = 10

const columns = table.columns()

export const filters = { state: table.equals('state') }

const rowOf = ({ reminder_minutes, ...settings }: Changes) => ({
  ...settings,
  ...(reminder_minutes && { reminder_minutes: sql.array([...reminder_minutes], 'int4') }),
})

export async function insert(
  tx: Db,
  { id, org_id, channel_id, ...settings }: Pick<Scheduled, 'id' | 'org_id' | 'channel_id'> & Settings,
): Promise<Scheduled> {
  const row = { id, org_id, channel_id, ...rowOf(settings) }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

export async function countUpcoming(tx: Db, channelId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`
    select count(*)::integer as count from live.scheduled_broadcasts
    where channel_id = ${channelId} and state = 'scheduled'`)
}

export async function find(db: Db, orgId: string, channelId: string, id: string): Promise<Scheduled | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.scheduled_broadcasts
    where id = ${id} and channel_id = ${channelId} and org_id = ${orgId}`)
}

export async function list(
  db: Db,
  orgId: string,
  channelId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Scheduled[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.scheduled_broadcasts
    where channel_id = ${channelId} and org_id = ${orgId} and ${isOlder(before)} and ${where}
    order by id desc limit ${limit}`)
}

/** Returns the next broadcasts, in the order of their start. Includes late ones that can still start. */
export async function listUpcoming(db: Db, channelId: string): Promise<readonly Scheduled[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from live.scheduled_broadcasts
    where channel_id = ${channelId} and state = 'scheduled'
    order by starts_at, id limit ${shownUpcoming}`)
}

/**
 * Changes a broadcast that has not started. If its times change, the revision increases. With a new start, a missed
 * broadcast is scheduled again. Returns null if the broadcast does not exist or has started.
 */
export async function update(
  tx: Db,
  { id, channel_id }: Pick<Scheduled, 'id' | 'channel_id'>,
  changes: Changes,
  isMoved: boolean,
): Promise<Scheduled | null> {
  const again = changes.starts_at ? sql.fragment`, state = 'scheduled', reminded_minutes = '{}'` : sql.fragment``
  const moved = isMoved ? sql.fragment`, revision = revision + 1 ${again}` : sql.fragment``
  return await tx.maybeOne(sql.type(table.Row)`
    update live.scheduled_broadcasts set ${table.set({ ...rowOf(changes), updated_at: new Date() })} ${moved}
    where id = ${id} and channel_id = ${channel_id} and state <> 'started' returning ${columns}`)
}

export async function remove(tx: Db, orgId: string, channelId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from live.scheduled_broadcasts where id = ${id} and channel_id = ${channelId} and org_id = ${orgId}`)
  return rowCount === 1
}

/** Returns a broadcast of this revision that has not started and whose channel exists. Locks it. */
export async function hold(tx: Db, id: string, revision: number): Promise<Scheduled | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns('s')} from live.scheduled_broadcasts as s join live.channels as c on c.id = s.channel_id
    where s.id = ${id} and s.revision = ${revision} and s.state = 'scheduled' and c.deleted_at is null
      and not account.is_closing(s.org_id)
    for update of s`)
}

/** Assigns the broadcast that its channel shows now. Returns false if the channel is not live. */
export async function setStartedWhileLive(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update live.scheduled_broadcasts as s set state = 'started', broadcast_id = b.id, updated_at = now()
    from live.broadcasts as b
    where s.id = ${id} and b.channel_id = s.channel_id and b.live_at is not null and b.ended_at is null`)
  return rowCount > 0
}

export async function setMissed(tx: Db, id: string): Promise<Scheduled> {
  return await tx.one(sql.type(table.Row)`
    update live.scheduled_broadcasts set state = 'missed', updated_at = now() where id = ${id} returning ${columns}`)
}

/** Records a reminder. Returns null if it was sent before. */
export async function setReminded(tx: Db, id: string, minutes: number): Promise<Scheduled | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.scheduled_broadcasts set reminded_minutes = reminded_minutes || ${minutes}::integer
    where id = ${id} and not ${minutes} = any(reminded_minutes) returning ${columns}`)
}

/** Assigns a broadcast that goes live now to the nearest scheduled one. */
export async function setStarted(tx: Db, channelId: string, broadcastId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update live.scheduled_broadcasts set state = 'started', broadcast_id = ${broadcastId}, updated_at = now()
    where id = (
      select id from live.scheduled_broadcasts
      where channel_id = ${channelId} and state <> 'started'
        and starts_at between now() - make_interval(hours => ${lateHours}) and now() + make_interval(mins => ${earlyMinutes})
      order by abs(extract(epoch from starts_at - now())) limit 1 for update)`)
}
