import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'

/** Broadcasts of encoders that workers of the rooms pool send to WebRTC viewers now. */
export const table = defineTable(
  'live',
  'web_feeds',
  z.object({ channel_id: Id, worker_id: Id, viewers: z.number(), told_at: z.date() }),
)

const Host = z.object({ worker_id: Id, gateway_url: z.string() })

/** Maximum number of workers that a viewer's offer is sent to. */
const mostHosts = 3

/**
 * Returns workers with free capacity that can send a broadcast of an encoder. Workers that send it already come first.
 * The order of the others is the same for all viewers of the channel.
 */
export async function listHosts(db: Db, channelId: string, capacity: number): Promise<readonly z.infer<typeof Host>[]> {
  return await db.any(sql.type(Host)`
    select h.worker_id, h.gateway_url from rooms.hosts as h
    where ${lease(sql.fragment`h.worker_id`)} and h.load < ${capacity}
    order by exists (select from live.web_feeds as f where f.channel_id = ${channelId} and f.worker_id = h.worker_id) desc,
      md5(h.worker_id::text || ${channelId})
    limit ${mostHosts}`)
}

/** Stores the number of viewers of each broadcast that a worker sends. Removes the worker's other rows. */
export async function put(db: Db, workerId: string, viewers: ReadonlyMap<string, number>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with gone as (
      delete from live.web_feeds
      where worker_id = ${workerId} and channel_id <> all(${sql.array([...viewers.keys()], 'uuid')}))
    insert into ${table.name} (channel_id, worker_id, viewers)
    select v.channel_id, ${workerId}, v.viewers
    from ${sql.unnest([...viewers], ['uuid', 'int4'])} as v (channel_id, viewers)
    where exists (select from live.channels as c where c.id = v.channel_id)
    on conflict (channel_id, worker_id) do update set viewers = excluded.viewers, told_at = clock_timestamp()`)
}
