import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { EndReason } from './broadcasts.ts'
import { Facts } from './sessions.ts'

const OnAir = z.object({
  channel_id: Id,
  name: z.string(),
  org: z.string(),
  state: z.enum(['connecting', 'live', 'lost']),
  source: z.string(),
  origin_url: z.string(),
  facts: Facts,
  bit_rates: z.array(z.number()),
  started_at: z.date(),
})

/** A channel with a publisher. `lost` is true if no worker has the channel any longer. */
export type OnAir = z.infer<typeof OnAir>

export async function onAir(db: Db, limit: number): Promise<readonly OnAir[]> {
  return await db.any(sql.type(OnAir)`
    select s.channel_id, c.name, o.name as org, s.source, s.origin_url, s.facts, s.bit_rates, s.started_at,
      case when ${lease(sql.fragment`s.worker_id`)} then s.state else 'lost' end as state
    from live.sessions as s
    join live.channels as c on c.id = s.channel_id join account.orgs as o on o.id = c.org_id
    order by coalesce((s.facts ->> 'viewers')::integer, 0) desc, s.channel_id limit ${limit}`)
}

const EndedBroadcast = z.object({
  id: Id,
  name: z.string(),
  org: z.string(),
  started_at: z.date(),
  ended_at: z.date(),
  end_reason: EndReason.nullable(),
  record: z.boolean(),
  live_at: z.date().nullable(),
  recorded_at: z.date().nullable(),
  asset_id: Id.nullable(),
})

export type EndedBroadcast = z.infer<typeof EndedBroadcast>

export async function lastEnded(db: Db, limit: number): Promise<readonly EndedBroadcast[]> {
  return await db.any(sql.type(EndedBroadcast)`
    select b.id, c.name, o.name as org, b.started_at, b.ended_at, b.end_reason, b.record, b.live_at, b.recorded_at, b.asset_id
    from live.broadcasts as b
    join live.channels as c on c.id = b.channel_id join account.orgs as o on o.id = b.org_id
    where b.ended_at is not null order by b.ended_at desc limit ${limit}`)
}

const Totals = z.object({ channels: z.number(), live: z.number(), viewers: z.number(), bit_rate: z.number() })

export async function totals(db: Db): Promise<z.infer<typeof Totals>> {
  return await db.one(sql.type(Totals)`
    select (select count(*) from live.channels where deleted_at is null)::integer as channels,
      count(*) filter (where state = 'live')::integer as live,
      coalesce(sum((facts ->> 'viewers')::integer), 0)::integer as viewers,
      coalesce(sum((facts ->> 'bitRate')::double precision), 0) as bit_rate
    from live.sessions where ${lease(sql.fragment`worker_id`)}`)
}
