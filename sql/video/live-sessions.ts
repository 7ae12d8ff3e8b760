import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** What a worker tells of a channel's stream, renewed with its lease; all of it may be unknown at first. */
export const Facts = z.object({
  /** Media sequence number of the last segment, number of the last part in it, its seconds, and when it came (ISO 8601). */
  lastPart: z.object({ segment: z.number(), part: z.number(), duration: z.number(), at: z.string() }).optional(),
  /** Bits a second over the last seconds. */
  bitRate: z.number().optional(),
  frameRate: z.number().optional(),
  /** RFC 6381, such as `avc1.64001f`. */
  videoCodec: z.string().optional(),
  audioCodec: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  /** Seconds from one key frame to the next. */
  gopSeconds: z.number().optional(),
  /** What the publisher should change, in sentences. */
  warnings: z.array(z.string()).optional(),
  viewers: z.number().optional(),
  /** When the thumbnail in storage was taken (ISO 8601). */
  thumbnailAt: z.string().optional(),
})

/** The parsed column. */
export type Facts = z.infer<typeof Facts>

/** Who has a channel now. */
export const table = defineTable(
  'video',
  'live_sessions',
  z.object({
    channel_id: Id,
    worker_id: Id,
    origin_url: z.string(),
    lease_until: z.date(),
    state: z.enum(['connecting', 'live']),
    source: z.enum(['primary', 'backup', 'srt']),
    facts: Facts,
    bit_rates: z.array(z.number()),
    last_part_at: z.date().nullable(),
    end_requested: z.enum(['ended', 'deleted']).nullable(),
    broadcast_id: Id,
    started_at: z.date(),
    takeovers: z.number(),
  }),
)

/** A worker's hold on a channel. */
export type Session = z.infer<typeof table.Row>

/** Renewals whose bit rates are kept. */
const ratesKept = 120

/** Seconds without a part after which a channel is not live, whatever its worker said last. */
const silentSeconds = 10

const columns = table.columns()

const lease = (seconds: number) => sql.fragment`clock_timestamp() + make_interval(secs => ${seconds})`

/** Takes a channel for a worker; null while another worker's lease holds, or while the channel is deleted or closed. */
export async function claim(
  tx: Db,
  session: Pick<Session, 'channel_id' | 'worker_id' | 'origin_url' | 'source' | 'broadcast_id'>,
  leaseSeconds: number,
): Promise<Session | null> {
  const { channel_id, worker_id, origin_url, source, broadcast_id } = session
  return await tx.maybeOne(sql.type(table.Row)`
    insert into video.live_sessions as s (channel_id, worker_id, origin_url, source, broadcast_id, lease_until)
    select id, ${worker_id}, ${origin_url}, ${source}, ${broadcast_id}, ${lease(leaseSeconds)}
    from video.live_channels
    where id = ${channel_id} and deleted_at is null and (closed_until is null or closed_until < clock_timestamp())
    on conflict (channel_id) do update set worker_id = excluded.worker_id, origin_url = excluded.origin_url,
      source = excluded.source, broadcast_id = excluded.broadcast_id, lease_until = excluded.lease_until,
      state = 'connecting', facts = '{}', bit_rates = '{}', last_part_at = null, end_requested = null,
      started_at = clock_timestamp(), takeovers = s.takeovers + 1
    where s.worker_id = excluded.worker_id or s.lease_until < clock_timestamp()
    returning ${columns}`)
}

/**
 * Renews a worker's lease with what it knows of the stream; null when the channel is no longer its own. Without
 * `hasPart` no part came since the last renewal.
 */
export async function renew(
  db: Db,
  {
    channel_id,
    worker_id,
    state,
    source,
    facts,
  }: Pick<Session, 'channel_id' | 'worker_id' | 'state' | 'source' | 'facts'>,
  { leaseSeconds, hasPart }: { leaseSeconds: number; hasPart: boolean },
): Promise<Session | null> {
  const rate = Math.round(facts.bitRate ?? 0)
  return await db.maybeOne(sql.type(table.Row)`
    update video.live_sessions set lease_until = ${lease(leaseSeconds)}, state = ${state}, source = ${source},
      facts = ${sql.jsonb(facts)}, last_part_at = case when ${hasPart} then clock_timestamp() else last_part_at end,
      bit_rates = (bit_rates || ${rate}::integer)[greatest(1, cardinality(bit_rates) + 2 - ${ratesKept}):]
    where channel_id = ${channel_id} and worker_id = ${worker_id} returning ${columns}`)
}

/** Gives a channel up; false when it was another worker's. */
export async function release(tx: Db, channelId: string, workerId: string): Promise<boolean> {
  const released = await tx.query(sql.typeAlias('void')`
    delete from video.live_sessions where channel_id = ${channelId} and worker_id = ${workerId}`)
  return released.rowCount === 1
}

/** Who has a channel now; null when its lease is over. */
export async function findHeld(db: Db, channelId: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from video.live_sessions where channel_id = ${channelId} and lease_until > clock_timestamp()`)
}

/**
 * Sessions whose worker let the lease run out at least some seconds ago, each taken from it: the caller ends their broadcasts. While
 * Postgres itself was away nobody could renew one.
 */
export async function takeLapsed(tx: Db, seconds: number): Promise<readonly Session[]> {
  return await tx.any(sql.type(table.Row)`
    delete from video.live_sessions where channel_id in (
      select channel_id from video.live_sessions
      where greatest(lease_until, pg_postmaster_start_time()) < clock_timestamp() - make_interval(secs => ${seconds}) for update skip locked)
    returning ${columns}`)
}

/** Asks the worker that has a channel to end its broadcast; the session, or null when nobody has the channel. */
export async function requestEnd(tx: Db, channelId: string, why: 'ended' | 'deleted'): Promise<Session | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update video.live_sessions set end_requested = ${why} where channel_id = ${channelId} returning ${columns}`)
}

/** A session as the API tells of it: `live` only while parts come. */
export const Shown = table.Row.pick({
  channel_id: true,
  state: true,
  source: true,
  facts: true,
  bit_rates: true,
  last_part_at: true,
  broadcast_id: true,
  started_at: true,
})

/** The parsed row. */
export type Shown = z.infer<typeof Shown>

/** The sessions of some channels whose leases hold, by the channel's id. */
export async function findShown(db: Db, channelIds: readonly string[]): Promise<ReadonlyMap<string, Shown>> {
  const rows = await db.any(sql.type(Shown)`
    select ${columnsOf(Shown.omit({ state: true }))},
      case when state = 'live' and last_part_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
        then 'live' else 'connecting' end as state
    from video.live_sessions
    where channel_id = any(${sql.array([...channelIds], 'uuid')}) and lease_until > clock_timestamp()`)
  return new Map(rows.map((row) => [row.channel_id, row]))
}
