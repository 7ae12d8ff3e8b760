import { z } from 'zod'
import { type DatabasePool, type Db, openPool, sql } from './db.ts'

/** Log position of a primary. All commits of the primary are before `lsn` in this timeline and system. */
const Position = z.object({ system: z.string(), timeline: z.number(), lsn: z.string() })

export type Position = z.infer<typeof Position>

/**
 * Returns the position up to which the write-ahead log is on the primary’s disk. This includes each acknowledged
 * commit. If commits do not wait for the disk, returns the written position. Throws on a standby.
 */
export async function readPosition(db: Db): Promise<Position> {
  return await db.one(sql.type(Position)`
    select (select system_identifier::text from pg_control_system()) as system,
      ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer as timeline, lsn::text as lsn
    from coalesce(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() end,
      pg_current_wal_flush_lsn()) as lsn`)
}

const ReplicationState = z.object({
  standby: z.boolean(),
  system: z.string(),
  timeline: z.number(),
  reached: z.boolean(),
  bytes: z.number().describe('Size of the log that has not been replayed yet, in bytes'),
  seconds: z.number().nullable().describe('Seconds since the last replayed commit'),
})

export type Standing = z.infer<typeof ReplicationState>

/**
 * Returns the state of the connected server relative to a position. The timeline comes from the last checkpoint or
 * written page, and from the received log if the role has access to it (`pg_read_all_stats`). The checkpoint and the
 * page change only minutes after a failover.
 */
export async function readStanding(db: Db, { lsn }: Position): Promise<Standing> {
  return await db.one(sql.type(ReplicationState)`
    select pg_is_in_recovery() as standby,
      (select system_identifier::text from pg_control_system()) as system,
      greatest((select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery()),
        (select received_tli from pg_stat_wal_receiver)) as timeline,
      coalesce(replayed >= ${lsn}::pg_lsn, false) as reached,
      greatest(0, coalesce(pg_wal_lsn_diff(${lsn}::pg_lsn, replayed), 0))::bigint as bytes,
      extract(epoch from now() - pg_last_xact_replay_timestamp())::double precision as seconds
    from pg_last_wal_replay_lsn() as replayed`)
}

/** True if a server follows the primary of a position: a standby of the same system on the same timeline. */
export const follows = (standing: Standing, position: Position): boolean =>
  standing.standby && standing.system === position.system && standing.timeline === position.timeline

export interface Positions {
  /** Returns a position that was read after the start of the call. Throws if the primary does not respond in time. */
  now(): Promise<Position>
  end(): Promise<void>
}

const answerMs = 650

/**
 * Reads positions on a separate connection with a permanent session. Calls during a query share the next query, because
 * the current result can be older than the start of the call.
 */
export function createPositions(url: string): Positions {
  let pool: Promise<DatabasePool> | undefined
  let asking: Promise<Position> | undefined
  let next: Promise<Position> | undefined

  async function ask(): Promise<Position> {
    pool ??= openPool(url, 1, 5_000, answerMs).then(warmUp)
    const asked = pool
    const drop = (error: unknown): never => {
      // Another server may have become the primary. So the next query opens a new connection.
      if (pool === asked) pool = undefined
      asked.then((opened) => opened.end()).catch(() => {})
      throw error
    }
    // A busy machine takes long to open a connection. Waiting calls fail, but the connection attempt continues.
    const opened = await inTime(asked.catch(drop))
    return await inTime(readPosition(opened)).catch(drop)
  }

  function start(): Promise<Position> {
    const own = ask().finally(() => {
      if (asking === own) asking = undefined
    })
    asking = own
    return own
  }

  return {
    now() {
      if (next) return next
      if (!asking) return start()
      const begin = () => {
        next = undefined
        return start()
      }
      next = asking.then(begin, begin)
      return next
    },
    async end() {
      const opened = await pool?.catch(() => undefined)
      await opened?.end()
    },
  }
}

export async function warmUp(pool: DatabasePool): Promise<DatabasePool> {
  try {
    await pool.connect(async () => {})
    return pool
  } catch (error) {
    void pool.end().catch(() => {})
    throw error
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The primary did not report its position in time.')), answerMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
