import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'

/**
 * Locks the publishing of an organisation until the transaction ends. Returns true if the plan allows another live
 * channel in addition to `channelId`. With `publishers`, WHIP publishers count even before their channel is live,
 * because each of them already uses capacity of a worker.
 */
export async function lockCapacity(
  tx: Db,
  orgId: string,
  channelId: string,
  { publishers = false }: { publishers?: boolean } = {},
): Promise<boolean> {
  const most = await tx.oneFirst(sql.type(z.object({ live_channels: z.number() }))`
    select p.live_channels from account.orgs as o join account.plans as p on p.name = o.plan
    where o.id = ${orgId} for no key update of o`)
  const onAir = await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(distinct s.channel_id)::integer as count
    from (
      select channel_id, worker_id from live.sessions
      union all select channel_id, worker_id from live.web_publishers where ${publishers}
    ) as s join live.channels as c on c.id = s.channel_id
    where c.org_id = ${orgId} and c.id <> ${channelId} and ${lease(sql.fragment`s.worker_id`)}`)
  return onAir < most
}

/** Returns the open broadcast of a channel, which the next worker continues. */
export async function findOpenBroadcast(tx: Db, channelId: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select b.id from live.sessions as s join live.broadcasts as b on b.id = s.broadcast_id
    where s.channel_id = ${channelId} and b.ended_at is null and s.end_requested is null`)
}

export async function findRecordingEnd(db: Db, broadcastId: string): Promise<{ number: number; epoch: number }> {
  return await db.one(sql.type(z.object({ number: z.number(), epoch: z.number() }))`
    select coalesce(max(number) + 1, 0) as number, coalesce(max(epoch) + 1, 0) as epoch
    from live.chunks where broadcast_id = ${broadcastId}`)
}
