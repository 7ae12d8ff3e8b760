import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { EndReason } from './rooms.ts'

const OccupiedRoom = z.object({
  id: Id,
  name: z.string(),
  org: z.string(),
  state: z.enum(['open', 'assigned', 'lost']),
  gateway_url: z.string(),
  reconciled_at: z.date().nullable(),
  started_at: z.date().nullable(),
  max_participants: z.number(),
  present: z.number(),
  publishing: z.number(),
  broadcast: z.boolean(),
  recording: z.boolean(),
})

/** A room that a worker has. `lost` is true if the lease of the worker has expired. */
export type OccupiedRoom = z.infer<typeof OccupiedRoom>

export async function occupied(db: Db, limit: number): Promise<readonly OccupiedRoom[]> {
  return await db.any(sql.type(OccupiedRoom)`
    select r.id, r.name, o.name as org, s.gateway_url, s.reconciled_at, r.started_at, r.max_participants,
      case when ${lease(sql.fragment`s.worker_id`)} then s.state else 'lost' end as state, p.present, p.publishing,
      exists (select from rooms.broadcasts as b where b.room_id = r.id and b.ended_at is null)
        or exists (select from rooms.restreams as t where t.room_id = r.id and t.enabled) as broadcast,
      exists (select from rooms.recordings as c where c.room_id = r.id and c.ended_at is null) as recording
    from rooms.sessions as s
    join rooms.rooms as r on r.id = s.room_id join account.orgs as o on o.id = r.org_id,
    lateral (
      select count(*)::integer as present, count(*) filter (where state = 'publishing')::integer as publishing
      from rooms.participants where room_id = r.id and left_at is null) as p
    where r.ended_at is null
    order by p.present desc, r.id limit ${limit}`)
}

const EndedRoom = z.object({
  id: Id,
  name: z.string(),
  org: z.string(),
  started_at: z.date().nullable(),
  ended_at: z.date(),
  end_reason: EndReason,
  people: z.number(),
})

export type EndedRoom = z.infer<typeof EndedRoom>

export async function lastEnded(db: Db, limit: number): Promise<readonly EndedRoom[]> {
  return await db.any(sql.type(EndedRoom)`
    select r.id, r.name, o.name as org, r.started_at, r.ended_at, r.end_reason,
      (select count(*) from rooms.participants as p where p.room_id = r.id)::integer as people
    from rooms.rooms as r join account.orgs as o on o.id = r.org_id
    where r.ended_at is not null order by r.ended_at desc limit ${limit}`)
}

const Host = z.object({ worker_id: Id, gateway_url: z.string(), load: z.number(), rooms: z.number() })

export type Host = z.infer<typeof Host>

export async function hosts(db: Db, limit: number): Promise<readonly Host[]> {
  return await db.any(sql.type(Host)`
    select h.worker_id, h.gateway_url, h.load,
      (select count(*) from rooms.sessions as s where s.worker_id = h.worker_id)::integer as rooms
    from rooms.hosts as h where ${lease(sql.fragment`h.worker_id`)} order by load desc, worker_id limit ${limit}`)
}
