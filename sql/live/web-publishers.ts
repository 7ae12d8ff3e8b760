import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease, workerHoldsLease } from '../jobs/lease.ts'
import { defineTable, getColumns } from '../table.ts'

/** Purpose of the encryption of a publisher's key for its worker. The associated data is the publisher's ID. */
export const webSeal = 'video live whip'

export const table = defineTable(
  'live',
  'web_publishers',
  z.object({
    id: Id,
    channel_id: Id,
    source: z.enum(['primary', 'backup']),
    worker_id: Id,
    ice_ufrag: z.string(),
    viewers: z.number(),
    created_at: z.date(),
  }),
)

export type WebPublisher = z.infer<typeof table.Row>

const Placed = table.Row.extend({ gateway_url: z.string() })

export type PublisherWithGateway = z.infer<typeof Placed>

/** Time in seconds within which a worker must have the connection of a publisher that was assigned to it. */
const takenSeconds = 15

const columns = table.columns()

/**
 * Returns the worker with free capacity and the lowest load. Prefers workers with fewer than `most` publishers. Returns
 * null if no worker has capacity.
 */
export async function findHost(
  db: Db,
  { capacity, most }: { capacity: number; most: number },
): Promise<{ worker_id: string; gateway_url: string } | null> {
  return await db.maybeOne(sql.type(z.object({ worker_id: Id, gateway_url: z.string() }))`
    select worker_id, gateway_url from rooms.hosts as h
    where ${lease(sql.fragment`h.worker_id`)} and load < ${capacity}
    order by (select count(*) from live.web_publishers as p where p.worker_id = h.worker_id) >= ${most}, load, random()
    limit 1`)
}

/**
 * Reserves a key of a channel for a publisher. Returns null if another publisher has the key. Replaces a publisher
 * whose worker died.
 */
export async function reserve(
  tx: Db,
  publisher: Omit<WebPublisher, 'viewers' | 'created_at'>,
): Promise<WebPublisher | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    insert into live.web_publishers as p (id, channel_id, source, worker_id, ice_ufrag)
    values (${publisher.id}, ${publisher.channel_id}, ${publisher.source}, ${publisher.worker_id}, ${publisher.ice_ufrag})
    on conflict (channel_id, source) do update set id = excluded.id, worker_id = excluded.worker_id,
      ice_ufrag = excluded.ice_ufrag, viewers = 0, created_at = excluded.created_at
    where not ${lease(sql.fragment`p.worker_id`)}
    returning ${columns}`)
}

export async function find(db: Db, id: string): Promise<PublisherWithGateway | null> {
  return await db.maybeOne(sql.type(Placed)`
    select ${getColumns(table.Row, 'p')}, h.gateway_url
    from live.web_publishers as p join rooms.hosts as h on h.worker_id = p.worker_id
    where p.id = ${id} and ${lease(sql.fragment`p.worker_id`)}`)
}

/**
 * Returns the WHIP publisher that is being broadcast. Returns null if nothing is broadcast, or if an encoder is
 * broadcast.
 */
export async function findOnAir(db: Db, channelId: string): Promise<PublisherWithGateway | null> {
  return await db.maybeOne(sql.type(Placed)`
    select ${getColumns(table.Row, 'p')}, h.gateway_url
    from live.web_publishers as p
    join live.sessions as s on s.channel_id = p.channel_id and s.source = p.source
    join rooms.hosts as h on h.worker_id = p.worker_id
    where p.channel_id = ${channelId} and ${lease(sql.fragment`p.worker_id`)} and ${lease(sql.fragment`s.worker_id`)}`)
}

export async function findGateway(db: Db, workerId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ gateway_url: z.string() }))`
    select gateway_url from rooms.hosts where worker_id = ${workerId} and ${workerHoldsLease(workerId)}`)
}

export async function setViewers(db: Db, viewers: ReadonlyMap<string, number>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update live.web_publishers as p set viewers = v.viewers
    from ${sql.unnest([...viewers], ['uuid', 'int4'])} as v (id, viewers)
    where p.id = v.id`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from live.web_publishers where id = ${id}`)
}

/** Releases all keys of a worker except `ids` and keys that were just assigned to it. */
export async function removeOthers(db: Db, ids: readonly string[], workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from live.web_publishers
    where worker_id = ${workerId} and id <> all(${sql.array([...ids], 'uuid')})
      and created_at < clock_timestamp() - make_interval(secs => ${takenSeconds})`)
}
