import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease, workerHoldsLease } from '../jobs/lease.ts'
import { defineTable, getColumns } from '../table.ts'

/** Data of a stream that its worker reports repeatedly. All fields can be missing at first. */
export const Facts = z.object({
  /**
   * Media sequence number of the last segment, number and duration in seconds of its last part, and the time at which
   * that part arrived (ISO 8601).
   */
  lastPart: z.object({ segment: z.number(), part: z.number(), duration: z.number(), at: z.string() }).optional(),
  /** Bit rate over the last seconds, in bits per second. */
  bitRate: z.number().optional(),
  frameRate: z.number().optional(),
  /** RFC 6381 codec name, for example `avc1.64001f`. */
  videoCodec: z.string().optional(),
  audioCodec: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  gopSeconds: z.number().optional(),
  warnings: z.array(z.string()).optional(),
  /** Number of viewers: HLS viewers when reported, HLS and WHEP viewers when stored. */
  viewers: z.number().optional(),
  /** Undefined if the channel has no renditions, or if none is lower than the source. */
  transcode: z.enum(['on', 'unavailable', 'failed']).optional(),
  thumbnailAt: z.string().optional(),
})

export type Facts = z.infer<typeof Facts>

export const table = defineTable(
  'live',
  'sessions',
  z.object({
    channel_id: Id,
    /** Null after the worker released the channel. */
    worker_id: Id.nullable(),
    given_up_at: z.date().nullable(),
    origin_url: z.string(),
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

export type Session = z.infer<typeof table.Row>

const ratesKept = 120

/**
 * Time without a part in seconds after which a channel is not live, regardless of the state that its worker reported
 * last.
 */
const silentSeconds = 10

/** Time in seconds within which a worker must start to broadcast a channel that it claimed. */
const takenSeconds = 30

const columns = table.columns()

const held = lease(sql.fragment`worker_id`)

export type Claim = Pick<Session, 'channel_id' | 'origin_url' | 'source' | 'broadcast_id'> & { worker_id: string }

/**
 * Claims a channel for a worker. Returns null while another worker has it, while this worker has no lease, or if the
 * channel is deleted or closed.
 */
export async function claim(tx: Db, session: Claim): Promise<Session | null> {
  const { channel_id, worker_id, origin_url, source, broadcast_id } = session
  return await tx.maybeOne(sql.type(table.Row)`
    insert into live.sessions as s (channel_id, worker_id, origin_url, source, broadcast_id)
    select id, ${worker_id}, ${origin_url}, ${source}, ${broadcast_id}
    from live.channels
    where id = ${channel_id} and deleted_at is null and (closed_until is null or closed_until < clock_timestamp())
      and ${workerHoldsLease(worker_id)}
    on conflict (channel_id) do update set worker_id = excluded.worker_id, origin_url = excluded.origin_url,
      source = excluded.source, broadcast_id = excluded.broadcast_id,
      state = 'connecting', facts = '{}', bit_rates = '{}', last_part_at = null, end_requested = null,
      given_up_at = null, started_at = clock_timestamp(), takeovers = s.takeovers + 1
    where s.worker_id = excluded.worker_id or not ${lease(sql.fragment`s.worker_id`)}
    returning ${columns}`)
}

/** Returns the number of all viewers of a channel, if at least one viewer uses WHEP. */
const byWeb = (channelId: string, others: number) => sql.fragment`coalesce((
  select jsonb_build_object('viewers', sum(p.viewers) + ${others}::integer)
  from (select channel_id, worker_id, viewers from live.web_publishers
    union all select channel_id, worker_id, viewers from live.web_feeds) as p
  where p.channel_id = ${channelId} and ${lease(sql.fragment`p.worker_id`)} having sum(p.viewers) > 0), '{}')`

/**
 * Stores the data of the stream. Returns null if the channel now belongs to another worker, or if the lease has
 * expired. Without `hasPart`, no part has arrived since the last report.
 */
export async function renew(
  db: Db,
  {
    channel_id,
    worker_id,
    state,
    source,
    facts,
  }: Pick<Session, 'channel_id' | 'state' | 'source' | 'facts'> & { worker_id: string },
  { hasPart }: { hasPart: boolean },
): Promise<Session | null> {
  const rate = Math.round(facts.bitRate ?? 0)
  return await db.maybeOne(sql.type(table.Row)`
    update live.sessions set state = ${state}, source = ${source},
      facts = ${sql.jsonb(facts)} || ${byWeb(channel_id, facts.viewers ?? 0)}, last_part_at = case when ${hasPart} then clock_timestamp() else last_part_at end,
      bit_rates = (bit_rates || ${rate}::integer)[greatest(1, cardinality(bit_rates) + 2 - ${ratesKept}):]
    where channel_id = ${channel_id} and worker_id = ${worker_id} and ${held} returning ${columns}`)
}

/**
 * Lets another worker claim the channel immediately and continue its broadcast. Does nothing if another worker already
 * has it.
 */
export async function abandon(db: Db, channelId: string, workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update live.sessions set worker_id = null, given_up_at = clock_timestamp()
    where channel_id = ${channelId} and worker_id = ${workerId}`)
}

/**
 * Does the same for all channels of a worker except `channelIds` and channels that it has just claimed. The claim of
 * the remaining channels failed halfway.
 */
export async function abandonOthers(db: Db, channelIds: readonly string[], workerId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update live.sessions set worker_id = null, given_up_at = clock_timestamp()
    where worker_id = ${workerId} and channel_id <> all(${sql.array([...channelIds], 'uuid')})
      and started_at < clock_timestamp() - make_interval(secs => ${takenSeconds})`)
}

/** Releases a channel whose broadcast has ended. Returns false if another worker has it. */
export async function release(tx: Db, channelId: string, workerId: string): Promise<boolean> {
  const released = await tx.query(sql.typeAlias('void')`
    delete from live.sessions where channel_id = ${channelId} and worker_id = ${workerId}`)
  return released.rowCount === 1
}

export async function findHeld(db: Db, channelId: string): Promise<Session | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from live.sessions where channel_id = ${channelId} and ${held}`)
}

/**
 * Removes and returns sessions that were released, or whose worker lost its lease, at least this many seconds ago. The
 * caller ends their broadcasts.
 */
export async function takeLapsed(tx: Db, seconds: number): Promise<readonly Session[]> {
  return await tx.any(sql.type(table.Row)`
    delete from live.sessions where channel_id = any(array(
      select s.channel_id from live.sessions as s left join jobs.workers as w on w.id = s.worker_id
      where case when w.id is null then coalesce(s.given_up_at, '-infinity') else w.ended_at end
        < clock_timestamp() - make_interval(secs => ${seconds})
      for update of s skip locked))
    returning ${columns}`)
}

/** Requests the end of a broadcast from the worker that has the channel. Returns null if no worker has it. */
export async function requestEnd(tx: Db, channelId: string, why: 'ended' | 'deleted'): Promise<Session | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    update live.sessions set end_requested = ${why} where channel_id = ${channelId} returning ${columns}`)
}

/** Requests the end of all broadcasts of an organisation. Returns the IDs of their channels. */
export async function requestEndOfAll(tx: Db, orgId: string): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(table.Row.pick({ channel_id: true }))`
    update live.sessions as s set end_requested = 'ended' from live.channels as c
    where c.id = s.channel_id and c.org_id = ${orgId} returning s.channel_id`)
}

/** A session as the API returns it: `live` only while parts arrive. */
export const SessionView = table.Row.pick({
  channel_id: true,
  state: true,
  source: true,
  facts: true,
  bit_rates: true,
  last_part_at: true,
  broadcast_id: true,
  started_at: true,
})

export type SessionView = z.infer<typeof SessionView>

/** Returns the sessions with a valid lease, by channel ID. */
export async function findShown(db: Db, channelIds: readonly string[]): Promise<ReadonlyMap<string, SessionView>> {
  const rows = await db.any(sql.type(SessionView)`
    select ${getColumns(SessionView.omit({ state: true }))},
      case when state = 'live' and last_part_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
        then 'live' else 'connecting' end as state
    from live.sessions
    where channel_id = any(${sql.array([...channelIds], 'uuid')}) and ${held}`)
  return new Map(rows.map((row) => [row.channel_id, row]))
}
