import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease, leaseOf } from '../jobs/lease.ts'
import { columnsOf, defineTable } from '../table.ts'

/** The purpose under which ingress seals the key of a publisher for their worker; the publisher's id is the associated data. */
export const webSeal = 'video live whip'

/** Who publishes by WHIP. */
export const table = defineTable(
  'live',
  'web_publishers',
  z.object({
    id: Id,
    channel_id: Id,
    source: z.enum(['primary', 'backup']),
    worker_id: Id,
    ice_ufrag: z.string(),
    /** Who watches it by WHEP. */
    viewers: z.number(),
    created_at: z.date(),
  }),
)

/** A publisher by WHIP, on the worker that has its connection. */
export type WebPublisher = z.infer<typeof table.Row>

/** A publisher with where its worker is asked. */
const Placed = table.Row.extend({ gateway_url: z.string() })

/** The parsed row. */
export type PlacedPublisher = z.infer<typeof Placed>

/** Seconds in which a worker that was given a publisher has it. */
const takenSeconds = 15

const columns = table.columns()

/**
 * A worker with room for one more connection, the least loaded of those that have fewer than `most` publishers, or else of all; null
 * when there is none.
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

/** Gives a key of a channel to a publisher; null while another has it. One whose worker died is replaced. */
export async function take(
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

/** A publisher whose worker lives, with where that is asked. */
export async function find(db: Db, id: string): Promise<PlacedPublisher | null> {
  return await db.maybeOne(sql.type(Placed)`
    select ${columnsOf(table.Row, 'p')}, h.gateway_url
    from live.web_publishers as p join rooms.hosts as h on h.worker_id = p.worker_id
    where p.id = ${id} and ${lease(sql.fragment`p.worker_id`)}`)
}

/** The publisher by WHIP that a channel broadcasts now; null when nobody publishes, or an encoder does. */
export async function findOnAir(db: Db, channelId: string): Promise<PlacedPublisher | null> {
  return await db.maybeOne(sql.type(Placed)`
    select ${columnsOf(table.Row, 'p')}, h.gateway_url
    from live.web_publishers as p
    join live.sessions as s on s.channel_id = p.channel_id and s.source = p.source
    join rooms.hosts as h on h.worker_id = p.worker_id
    where p.channel_id = ${channelId} and ${lease(sql.fragment`p.worker_id`)} and ${lease(sql.fragment`s.worker_id`)}`)
}

/** Where a worker is asked; null when it is gone. */
export async function findGateway(db: Db, workerId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ gateway_url: z.string() }))`
    select gateway_url from rooms.hosts where worker_id = ${workerId} and ${leaseOf(workerId)}`)
}

/** Notes who watches by WHEP, by the publisher's id. */
export async function setViewers(db: Db, viewers: ReadonlyMap<string, number>): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update live.web_publishers as p set viewers = v.viewers
    from ${sql.unnest([...viewers], ['uuid', 'int4'])} as v (id, viewers)
    where p.id = v.id`)
}

/** Gives a key back. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from live.web_publishers where id = ${id}`)
}

/** Gives back all keys that a worker has on record but those of `ids`, and was not given just now. */
export async function removeOthers(db: Db, ids: readonly string[], workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from live.web_publishers
    where worker_id = ${workerId} and id <> all(${sql.array([...ids], 'uuid')})
      and created_at < clock_timestamp() - make_interval(secs => ${takenSeconds})`)
}
