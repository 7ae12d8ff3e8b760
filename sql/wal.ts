import { z } from 'zod'
import { type DatabasePool, type Db, openPool, sql } from './db.ts'

/** Where a primary stands: what it has committed lies before `lsn`, of that timeline of that system. */
const Position = z.object({ system: z.string(), timeline: z.number(), lsn: z.string() })

/** Where a primary stands. */
export type Position = z.infer<typeof Position>

/**
 * Up to where the write-ahead log is on the primary's disk, as it is of each commit that was answered, or up to where it is written at
 * all where commits do not wait for the disk; throws on a standby.
 */
export async function positionOf(db: Db): Promise<Position> {
  return await db.one(sql.type(Position)`
    select (select system_identifier::text from pg_control_system()) as system,
      ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer as timeline, lsn::text as lsn
    from coalesce(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() end,
      pg_current_wal_flush_lsn()) as lsn`)
}

const Standing = z.object({
  standby: z.boolean(),
  system: z.string(),
  timeline: z.number(),
  reached: z.boolean(),
  bytes: z.number().describe('Of the log, not replayed yet'),
  seconds: z.number().nullable().describe('Since the last commit that was replayed'),
})

/** How a server stands to a position of its primary. */
export type Standing = z.infer<typeof Standing>

/**
 * How the server of a connection stands to a position. Its timeline is that of the last checkpoint or page that it has written,
 * and of what it receives where its role may see that (`pg_read_all_stats`): after a failover the former follow minutes later.
 */
export async function standingTo(db: Db, { lsn }: Position): Promise<Standing> {
  return await db.one(sql.type(Standing)`
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

/** Whether a server follows the primary of a position: a standby of the same system, on the same timeline. */
export const follows = (standing: Standing, position: Position): boolean =>
  standing.standby && standing.system === position.system && standing.timeline === position.timeline

/** Asks a primary where it stands. */
export interface Positions {
  /** Where it stands at some moment after the call; throws when it does not answer in time. */
  now(): Promise<Position>
  end(): Promise<void>
}

/** Milliseconds that the primary has to tell where it stands. */
const answerMs = 650

/**
 * Asks on a connection of its own, which keeps its session. Those who ask while a question is under way share the next one, as the
 * answer to the one before may be of a moment before theirs.
 */
export function createPositions(url: string): Positions {
  let pool: Promise<DatabasePool> | undefined
  let asking: Promise<Position> | undefined
  let next: Promise<Position> | undefined

  async function ask(): Promise<Position> {
    pool ??= openPool(url, 1, 5_000, answerMs).then(warmed)
    const asked = pool
    const drop = (error: unknown): never => {
      // Another server may be the primary by now, so the next question is asked on a new connection.
      if (pool === asked) pool = undefined
      asked.then((opened) => opened.end()).catch(() => {})
      throw error
    }
    // A machine that is busy takes long to open a connection: those who ask meanwhile go without, and it is opened all the same.
    const opened = await inTime(asked.catch(drop))
    return await inTime(positionOf(opened)).catch(drop)
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

/** A pool that has a connection, which a busy machine takes long to open. */
export async function warmed(pool: DatabasePool): Promise<DatabasePool> {
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
  const timer = setTimeout(() => late.reject(new Error('The primary did not tell in time where it stands.')), answerMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
