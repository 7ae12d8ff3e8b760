import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Workers that take rooms. */
export const hosts = defineTable(
  'video',
  'room_hosts',
  z.object({ worker_id: Id, gateway_url: z.string(), load: z.number(), lease_until: z.date() }),
)

/** Where rooms live. */
export const sessions = defineTable(
  'video',
  'room_sessions',
  z.object({
    room_id: Id,
    worker_id: Id,
    gateway_url: z.string(),
    lease_until: z.date(),
    state: z.enum(['assigned', 'open']),
    reconciled_at: z.date().nullable(),
  }),
)

/** A worker's hold on a room. */
export type Session = z.infer<typeof sessions.Row>

const columns = sessions.columns()

const lease = (seconds: number) => sql.fragment`clock_timestamp() + make_interval(secs => ${seconds})`

/** Says that a worker takes rooms, or goes on to. */
export async function offer(
  db: Db,
  host: { worker_id: string; gateway_url: string; load: number },
  leaseSeconds: number,
): Promise<void> {
  const { worker_id, gateway_url, load } = host
  await db.query(sql.typeAlias('void')`
    ${hosts.insert({ worker_id, gateway_url, load, lease_until: lease(leaseSeconds) })}
    on conflict (worker_id) do update set gateway_url = excluded.gateway_url, load = excluded.load,
      lease_until = excluded.lease_until`)
}

/** Says that a worker takes no rooms any more, and gives up those that it has: another may open them at once. */
export async function withdraw(tx: Db, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from video.room_hosts where worker_id = ${workerId}`)
  await tx.query(sql.typeAlias('void')`delete from video.room_sessions where worker_id = ${workerId}`)
}

/** Forgets workers that died. */
export async function forgetLapsed(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from video.room_hosts where lease_until < clock_timestamp() - interval '1 minute'`)
}

/** Where an open room lives: with its worker while that holds it, else with the least loaded of those that have room; null when none has. */
export async function place(
  db: Db,
  roomId: string,
  { capacity, leaseSeconds }: { capacity: number; leaseSeconds: number },
): Promise<Session | null> {
  return await db.maybeOne(sql.type(sessions.Row)`
    with held as (
      select ${columns} from video.room_sessions where room_id = ${roomId} and lease_until > clock_timestamp()
    ), taken as (
      insert into video.room_sessions as s (room_id, worker_id, gateway_url, lease_until)
      select r.id, h.worker_id, h.gateway_url, ${lease(leaseSeconds)}
      from video.rooms as r, lateral (
        select worker_id, gateway_url from video.room_hosts
        where lease_until > clock_timestamp() and load < ${capacity}
        order by load, random() limit 1) as h
      where r.id = ${roomId} and r.ended_at is null and not exists (select from held)
      on conflict (room_id) do update set worker_id = excluded.worker_id, gateway_url = excluded.gateway_url,
        lease_until = excluded.lease_until, state = 'assigned', reconciled_at = null
      where s.lease_until < clock_timestamp()
      returning ${sessions.columns('s')}
    )
    select ${columns} from held union all select ${columns} from taken`)
}

/** Takes a room for a worker, which opens it; null while another worker has it. */
export async function claim(
  tx: Db,
  session: Pick<Session, 'room_id' | 'worker_id' | 'gateway_url'>,
  leaseSeconds: number,
): Promise<Session | null> {
  const { room_id, worker_id, gateway_url } = session
  return await tx.maybeOne(sql.type(sessions.Row)`
    insert into video.room_sessions as s (room_id, worker_id, gateway_url, lease_until, state)
    select id, ${worker_id}, ${gateway_url}, ${lease(leaseSeconds)}, 'open'
    from video.rooms where id = ${room_id} and ended_at is null
    on conflict (room_id) do update set worker_id = excluded.worker_id, gateway_url = excluded.gateway_url,
      lease_until = excluded.lease_until, state = 'open', reconciled_at = null
    where s.worker_id = excluded.worker_id or s.lease_until < clock_timestamp()
    returning ${columns}`)
}

/** Renews a worker's hold on the rooms that it has open; returns those that it still has. */
export async function renew(
  db: Db,
  workerId: string,
  rooms: { open: readonly string[]; reconciled: readonly string[] },
  leaseSeconds: number,
): Promise<ReadonlySet<string>> {
  const renewed = await db.anyFirst(sql.type(z.object({ room_id: Id }))`
    update video.room_sessions set lease_until = ${lease(leaseSeconds)},
      reconciled_at = case when room_id = any(${sql.array([...rooms.reconciled], 'uuid')})
        then clock_timestamp() else reconciled_at end
    where worker_id = ${workerId} and room_id = any(${sql.array([...rooms.open], 'uuid')})
    returning room_id`)
  return new Set(renewed)
}

/** Gives a room up. */
export async function release(tx: Db, roomId: string, workerId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from video.room_sessions where room_id = ${roomId} and worker_id = ${workerId}`)
}

/** Who has a room now. */
export async function findHeld(db: Db, roomId: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(sessions.Row)`
    select ${columns} from video.room_sessions where room_id = ${roomId} and lease_until > clock_timestamp()`)
}
