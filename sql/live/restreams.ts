import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable } from '../table.ts'

export const State = z.enum(['connecting', 'live', 'failed'])

export type State = z.infer<typeof State>

/** Reason why a target does not receive the broadcast, or did not receive it before the current retry. */
export const Reason = z.enum([
  'address_refused',
  'unresolved',
  'connection_failed',
  'tls_failed',
  'timed_out',
  'refused',
  'ended',
  'too_slow',
  'protocol',
  'key_unreadable',
  'publisher_away',
])

export type Reason = z.infer<typeof Reason>

export const table = defineTable(
  'live',
  'restreams',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    name: z.string(),
    url: z.string(),
    stream_key: z.string(),
    enabled: z.boolean(),
    state: State.nullable(),
    reason: Reason.nullable(),
    told_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export type Restream = z.infer<typeof table.Row>

/** Purpose of the encryption of stream keys of targets. The associated data is the target's ID. */
export const sealPurpose = 'video live restream'

const View = table.Row.extend({ shown: z.enum(['idle', ...State.options]) })

/** A target with its effective state: `idle` while nothing is broadcast, or while it is turned off. */
export type RestreamView = z.infer<typeof View>

const columns = table.columns('r')

/** Ignores states of an earlier broadcast or of a worker that no longer has the channel. */
const view = sql.fragment`
  select ${columns},
    case when s.channel_id is null or not r.enabled then 'idle'
      when r.told_at >= s.started_at and r.state is not null then r.state else 'connecting' end as shown
  from live.restreams as r
  left join live.sessions as s on s.channel_id = r.channel_id and ${lease(sql.fragment`s.worker_id`)}`

export async function lockCount(tx: Db, orgId: string, channelId: string): Promise<number> {
  await lockOrgLimit(tx, orgId, 'live.restreams')
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from live.restreams where channel_id = ${channelId}`)
}

export async function insert(
  tx: Db,
  restream: Pick<Restream, 'id' | 'org_id' | 'channel_id' | 'name' | 'url' | 'stream_key' | 'enabled'>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(restream)}`)
}

export async function find(db: Db, channelId: string, id: string): Promise<RestreamView | null> {
  return await db.maybeOne(sql.type(View)`${view} where r.id = ${id} and r.channel_id = ${channelId}`)
}

export async function list(
  db: Db,
  channelId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly RestreamView[]> {
  return await db.any(sql.type(View)`
    ${view} where r.channel_id = ${channelId} and (${before ?? null}::uuid is null or r.id < ${before ?? null})
    order by r.id desc limit ${limit}`)
}

export const Target = table.Row.pick({ id: true, url: true, stream_key: true })

export type Target = z.infer<typeof Target>

export async function listEnabled(db: Db, channelId: string): Promise<readonly Target[]> {
  return await db.any(sql.type(Target)`
    select id, url, stream_key from live.restreams where channel_id = ${channelId} and enabled order by id`)
}

/** Updates a target. Returns false if it does not exist. Resets its state, which belongs to the previous URL or key. */
export async function update(
  tx: Db,
  channelId: string,
  id: string,
  changes: { [K in 'name' | 'url' | 'stream_key' | 'enabled']?: Restream[K] | undefined },
): Promise<boolean> {
  const isNew = changes.url !== undefined || changes.stream_key !== undefined || changes.enabled !== undefined
  const untold = isNew ? sql.fragment`, state = null, reason = null, told_at = null` : sql.fragment``
  const updated = await tx.query(sql.typeAlias('void')`
    update live.restreams set ${table.set(changes)} ${untold} where id = ${id} and channel_id = ${channelId}`)
  return updated.rowCount === 1
}

export async function remove(tx: Db, channelId: string, id: string): Promise<boolean> {
  const removed = await tx.query(sql.typeAlias('void')`
    delete from live.restreams where id = ${id} and channel_id = ${channelId}`)
  return removed.rowCount === 1
}

export async function removeAll(tx: Db, channelId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from live.restreams where channel_id = ${channelId}`)
}

/**
 * Stores the state that the worker of the channel reports. Does nothing if another worker has the channel, or if the
 * target was changed.
 */
export async function setState(
  db: Db,
  workerId: string,
  { id, url, stream_key }: Target,
  { state, reason }: { state: State; reason: Reason | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update live.restreams as r set state = ${state}, reason = ${reason}, told_at = clock_timestamp()
    from live.sessions as s
    where r.id = ${id} and r.url = ${url} and r.stream_key = ${stream_key} and r.enabled
      and s.channel_id = r.channel_id and s.worker_id = ${workerId}`)
}
