import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { days, hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const eventStreamChannel = 'webhooks_streamed'

/** Hours for which the events of an organisation are stored after its last client has disconnected. */
export const leaseHours = 24

export const StreamMode = z.enum(['all', 'test'])

export type StreamMode = z.infer<typeof StreamMode>

/** Clients of an organisation whose events are stored for the stream. */
export const table = defineTable(
  'webhooks',
  'event_streams',
  z.object({ org_id: Id, mode: StreamMode, since: z.number(), expired: z.number(), until: z.date() }),
  { retention: hours(24, 'until') },
)

export const streamedTable = defineTable(
  'webhooks',
  'streamed_events',
  z.object({ event_id: Id, org_id: Id, position: z.number().nullable(), test: z.boolean(), created_at: z.date() }),
  {
    retention: days('WEBHOOK_LOG_DAYS', 'created_at', {
      following: sql.fragment`streams as (
        update webhooks.event_streams as s set expired = greatest(s.expired, g.last)
        from (select org_id, max(position) as last from gone where position is not null group by org_id) as g
        where s.org_id = g.org_id)`,
    }),
  },
)

/** Adds events to the stream. They are visible to readers after the commit. */
export async function add(
  tx: Db,
  events: readonly { event_id: string; org_id: string; test: boolean }[],
): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql.typeAlias('void')`${streamedTable.insertMany(events)} on conflict (event_id) do nothing`)
  const orgIds = [...new Set(events.map(({ org_id }) => org_id))]
  await tx.query(sql.typeAlias('void')`
    select from unnest(${sql.array(orgIds, 'text')}) as o (id) cross join lateral pg_notify(${eventStreamChannel}, o.id)`)
}

/**
 * Assigns positions to committed events, oldest first. Only one transaction per organisation does this at a time, so
 * later events get higher positions. Returns true if more events are left.
 */
export async function assignPositions(tx: Db, orgId: string): Promise<boolean> {
  await tx.query(sql.typeAlias('void')`
    select from pg_advisory_xact_lock(${advisoryLockSpaces.eventStream}, hashtext(${orgId}))`)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhooks.streamed_events as e set position = n.position
    from (
      select event_id, nextval('webhooks.stream_positions') as position from (
        select event_id from webhooks.streamed_events
        where org_id = ${orgId} and position is null order by event_id limit ${atOnce}) as new) as n
    where e.event_id = n.event_id`)
  return rowCount === atOnce
}

/** Maximum number of events that get a position in one statement. */
const atOnce = 5_000

/** Returns the organisations that have events without a position. */
export async function listNew(db: Db, orgIds: readonly string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ org_id: Id }))`
    select o.id as org_id from unnest(${sql.array(orgIds, 'uuid')}) as o (id)
    where exists (select from webhooks.streamed_events where org_id = o.id and position is null)`)
}

const Last = z.object({ org_id: Id, last: z.number() })

/** Returns the last position of each organisation. Omits organisations without events. */
export async function listLast(db: Db, orgIds: readonly string[]): Promise<readonly z.infer<typeof Last>[]> {
  return await db.any(sql.type(Last)`
    select o.id as org_id, e.position as last from unnest(${sql.array(orgIds, 'uuid')}) as o (id)
    cross join lateral (
      select position from webhooks.streamed_events where org_id = o.id and position is not null
      order by position desc limit 1) as e`)
}

const Opened = z.object({ since: z.number(), expired: z.number(), last: z.number() })

export type Opened = z.infer<typeof Opened>

/**
 * Stores events for the stream from the commit on, and returns the positions that a client can resume from. If no
 * client was connected for too long, earlier positions become invalid.
 */
export async function open(tx: Db, orgId: string, mode: StreamMode): Promise<Opened> {
  await assignPositions(tx, orgId)
  await tx.query(sql.typeAlias('void')`
    insert into webhooks.event_streams as s (org_id, mode, since, until)
    values (${orgId}, ${mode}, nextval('webhooks.stream_positions'), ${leaseEnd})
    on conflict (org_id, mode) do update set
      since = case when s.until > now() then s.since else excluded.since end, until = ${leaseEnd}`)
  return await tx.one(sql.type(Opened)`
    select s.since, s.expired, greatest(s.since, s.expired, (
      select max(position) from webhooks.streamed_events where org_id = s.org_id)) as last
    from webhooks.event_streams as s where s.org_id = ${orgId} and s.mode = ${mode}`)
}

const leaseEnd = sql.fragment`now() + ${leaseHours} * interval '1 hour'`

/** Extends the time for which events are stored. */
export async function extend(db: Db, orgId: string, mode: StreamMode): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update webhooks.event_streams set until = ${leaseEnd}
    where org_id = ${orgId} and mode = ${mode} and until > now()`)
}

/** True if events of the organisation are stored for its stream now. */
export async function isFollowed(db: Db, orgId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ found: z.number() }))`
    select 1 as found from webhooks.event_streams where org_id = ${orgId} and until > now()`)
}

export const Streamed = z.object({
  position: z.number(),
  id: Id,
  test: z.boolean(),
  /** Null if the event has expired. */
  type: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
  sample: z.boolean().nullable(),
  timestamp: z.date().nullable(),
})

export type Streamed = z.infer<typeof Streamed>

/** Maximum size in bytes of the events that are read together. One event can have 256 KiB. */
const maxBytes = 512 * 1_024

/** Returns the next events after a position: up to `limit`, fewer if they are large, but at least one. */
export async function list(
  db: Db,
  orgId: string,
  { after, mode, limit }: { after: number; mode: StreamMode; limit: number },
): Promise<readonly Streamed[]> {
  return await db.any(sql.type(Streamed)`
    select position, id, test, type, data, sample, timestamp from (
      select s.position, s.event_id as id, s.test, e.type, e.data, e.sample, e.created_at as timestamp,
        row_number() over place as number, sum(coalesce(octet_length(e.data::text), 0)) over place as bytes
      from (
        select position, event_id, test from webhooks.streamed_events
        where org_id = ${orgId} and position > ${after} and (${mode === 'all'} or test)
        order by position limit ${limit}) as s
      left join webhooks.events as e on e.id = s.event_id
      window place as (order by s.position)
    ) as read where number = 1 or bytes <= ${maxBytes} order by position`)
}
