import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease, leaseOf } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'

/** Workers that take rooms. */
export const hosts = defineTable(
  'rooms',
  'hosts',
  z.object({ worker_id: Id, gateway_url: z.string(), load: z.number() }),
)

/** Where rooms live. */
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

/** A worker's hold on a room. */
export type Session = z.infer<typeof sessions.Row>

const columns = sessions.columns()

/** Seconds for which a room is kept for the worker that clients were told of, until the first of them comes to it. */
const assignedSeconds = 10

/** Seconds in which a worker that took a room has opened it. */
const openedSeconds = 30

/** Whether the worker of a session has the room, or clients were told of it just now. */
const held = sql.fragment`(${lease(sql.fragment`s.worker_id`)}
  and (s.state = 'open' or s.assigned_at > clock_timestamp() - make_interval(secs => ${assignedSeconds})))`

/** Says that a worker takes rooms, or goes on to. */
export async function offer(db: Db, host: z.infer<typeof hosts.Row>): Promise<void> {
  const { worker_id, gateway_url, load } = host
  await db.query(sql.typeAlias('void')`
    ${hosts.insert({ worker_id, gateway_url, load })}
    on conflict (worker_id) do update set gateway_url = excluded.gateway_url, load = excluded.load`)
}

/** Says that a worker takes no rooms any more, and gives up those that it has: another may open them at once. */
export async function withdraw(tx: Db, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from rooms.hosts where worker_id = ${workerId}`)
  await tx.query(sql.typeAlias('void')`delete from rooms.sessions where worker_id = ${workerId}`)
}

/** Forgets workers without a lease; one that has none yet will say again that it takes rooms. */
export async function forgetLapsed(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from rooms.hosts as h where not ${lease(sql.fragment`h.worker_id`)}`)
}

/** Where an open room lives: with its worker while that holds it, else with the least loaded of those that have room; null when none has. */
export async function place(db: Db, roomId: string, capacity: number): Promise<Session | null> {
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

/** Takes a room for a worker, which opens it; null while another worker has it, or while this one has no lease. */
export async function claim(
  tx: Db,
  session: Pick<Session, 'room_id' | 'worker_id' | 'gateway_url'>,
): Promise<Session | null> {
  const { room_id, worker_id, gateway_url } = session
  return await tx.maybeOne(sql.type(sessions.Row)`
    insert into rooms.sessions as s (room_id, worker_id, gateway_url, state)
    select id, ${worker_id}, ${gateway_url}, 'open'
    from rooms.rooms where id = ${room_id} and ended_at is null and ${leaseOf(worker_id)}
    on conflict (room_id) do update set worker_id = excluded.worker_id, gateway_url = excluded.gateway_url,
      assigned_at = excluded.assigned_at, state = 'open', reconciled_at = null
    where s.worker_id = excluded.worker_id or not ${held}
    returning ${columns}`)
}

/** Notes which of a worker's rooms were compared with the media server; returns those open ones that are still its own. */
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

/** Gives a room up. */
export async function release(tx: Db, roomId: string, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from rooms.sessions where room_id = ${roomId} and worker_id = ${workerId}`)
}

/** Gives up all rooms that a worker has on record but `roomIds`, and did not open just now: it failed as it opened or left them. */
export async function releaseOthers(db: Db, roomIds: readonly string[], workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from rooms.sessions
    where worker_id = ${workerId} and room_id <> all(${sql.array([...roomIds], 'uuid')})
      and assigned_at < clock_timestamp() - make_interval(secs => ${openedSeconds})`)
}

/** Who has a room now. */
export async function findHeld(db: Db, roomId: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(sessions.Row)`
    select ${sessions.columns('s')} from rooms.sessions as s where s.room_id = ${roomId} and ${held}`)
}
