import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease, workerHoldsLease } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'

export const hosts = defineTable(
  'rooms',
  'hosts',
  z.object({ worker_id: Id, gateway_url: z.string(), load: z.number() }),
)

export const sessions = defineTable(
  'rooms',
  'sessions',
  z.object({
    room_id: Id,
    worker_id: Id,
    gateway_url: z.string(),
    assigned_at: z.date(),
    state: z.enum(['assigned', 'open']),
    reconciled_at: z.date().nullable(),
  }),
)

export type Session = z.infer<typeof sessions.Row>

const columns = sessions.columns()

/**
 * Time in seconds for which a room is reserved for the worker that was returned to clients, until the first client
 * connects.
 */
const assignedSeconds = 10

/** Time in seconds within which a worker must open a room that it claimed. */
const openedSeconds = 30

/** True if the worker of the session has the room, or if the room was just assigned to it. */
const held = sql.fragment`(${lease(sql.fragment`s.worker_id`)}
  and (s.state = 'open' or s.assigned_at > clock_timestamp() - make_interval(secs => ${assignedSeconds})))`

export async function register(db: Db, host: z.infer<typeof hosts.Row>): Promise<void> {
  const { worker_id, gateway_url, load } = host
  await db.query(sql.typeAlias('void')`
    ${hosts.insert({ worker_id, gateway_url, load })}
    on conflict (worker_id) do update set gateway_url = excluded.gateway_url, load = excluded.load`)
}

/** Unregisters a worker and releases its rooms, so that other workers can open them immediately. */
export async function unregister(tx: Db, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from rooms.hosts where worker_id = ${workerId}`)
  await tx.query(sql.typeAlias('void')`delete from rooms.sessions where worker_id = ${workerId}`)
}

/** Deletes workers without a lease. A worker that has no lease yet registers again. */
export async function removeLapsed(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from rooms.hosts as h where not ${lease(sql.fragment`h.worker_id`)}`)
}

/**
 * Returns the session of an open room: its current worker. If it has no worker, the worker with the lowest load and
 * free capacity. Returns null if no worker has capacity.
 */
export async function assign(db: Db, roomId: string, capacity: number): Promise<Session | null> {
  return await db.maybeOne(sql.type(sessions.Row)`
    with held as (
      select ${sessions.columns('s')} from rooms.sessions as s where s.room_id = ${roomId} and ${held}
    ), taken as (
      insert into rooms.sessions as s (room_id, worker_id, gateway_url)
      select r.id, h.worker_id, h.gateway_url
      from rooms.rooms as r, lateral (
        select worker_id, gateway_url from rooms.hosts as o
        where ${lease(sql.fragment`o.worker_id`)} and load < ${capacity}
        order by load, random() limit 1) as h
      where r.id = ${roomId} and r.ended_at is null and not exists (select from held)
      on conflict (room_id) do update set worker_id = excluded.worker_id, gateway_url = excluded.gateway_url,
        assigned_at = excluded.assigned_at, state = 'assigned', reconciled_at = null
      where not ${held}
      returning ${sessions.columns('s')}
    )
    select ${columns} from held union all select ${columns} from taken`)
}

/**
 * Claims a room for a worker that opens it. Returns null while another worker has it, or while this worker has no
 * lease.
 */
export async function claim(
  tx: Db,
  session: Pick<Session, 'room_id' | 'worker_id' | 'gateway_url'>,
): Promise<Session | null> {
  const { room_id, worker_id, gateway_url } = session
  return await tx.maybeOne(sql.type(sessions.Row)`
    insert into rooms.sessions as s (room_id, worker_id, gateway_url, state)
    select id, ${worker_id}, ${gateway_url}, 'open'
    from rooms.rooms where id = ${room_id} and ended_at is null and ${workerHoldsLease(worker_id)}
    on conflict (room_id) do update set worker_id = excluded.worker_id, gateway_url = excluded.gateway_url,
      assigned_at = excluded.assigned_at, state = 'open', reconciled_at = null
    where s.worker_id = excluded.worker_id or not ${held}
    returning ${columns}`)
}

/**
 * Records which rooms of a worker were compared with the media server. Returns the open rooms that still belong to it.
 */
export async function renew(
  db: Db,
  workerId: string,
  rooms: { open: readonly string[]; reconciled: readonly string[] },
): Promise<ReadonlySet<string>> {
  const renewed = await db.anyFirst(sql.type(z.object({ room_id: Id }))`
    update rooms.sessions as s set reconciled_at = case when room_id = any(${sql.array([...rooms.reconciled], 'uuid')})
        then clock_timestamp() else reconciled_at end
    where worker_id = ${workerId} and room_id = any(${sql.array([...rooms.open], 'uuid')}) and ${held}
    returning room_id`)
  return new Set(renewed)
}

export async function release(tx: Db, roomId: string, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from rooms.sessions where room_id = ${roomId} and worker_id = ${workerId}`)
}

/**
 * Releases all rooms of a worker except `roomIds` and rooms that it has just opened. The remaining rooms failed while
 * they were opened or closed.
 */
export async function releaseOthers(db: Db, roomIds: readonly string[], workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from rooms.sessions
    where worker_id = ${workerId} and room_id <> all(${sql.array([...roomIds], 'uuid')})
      and assigned_at < clock_timestamp() - make_interval(secs => ${openedSeconds})`)
}

export async function findHeld(db: Db, roomId: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(sessions.Row)`
    select ${sessions.columns('s')} from rooms.sessions as s where s.room_id = ${roomId} and ${held}`)
}
