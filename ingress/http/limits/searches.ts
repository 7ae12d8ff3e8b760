import { isTooBroad, maxSearchMs, TooBroadError } from '#sql/bounded.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type TimedPool, withAcquireTimeout } from '../database/acquire-timeout.ts'
import { problem } from '../problem-kinds.ts'
import { createQueueLimiter } from './at-once.ts'

export const searchTooBroad = problem(
  400,
  'search_too_broad',
  'The search matches too much data to complete within a second. Add more search terms or filters.',
)

export interface Searches {
  /**
   * Runs a search when it is the organisation’s turn. Throws 429 if too many of the organisation’s searches are
   * waiting.
   */
  run<T>(orgId: string, search: (db: DatabasePool) => Promise<T>): Promise<T>
  renew(): Promise<void>
  end(): Promise<void>
}

export const searchConnections = 4

const waitMs = 3_000

/** Maximum number of waiting searches per organisation. Each takes about 10 ms. */
const inLine = 100

/**
 * Searches use separate connections, because a search can read a hundred thousand rows. An organisation can use up to
 * half of these connections at the same time. Its further searches wait in a separate queue.
 */
export function createSearches(main: DatabasePool, size = searchConnections): Searches {
  const lineOf = createQueueLimiter({ ofOne: Math.max(1, Math.floor(size / 2)), inLine, waitMs })
  let opened: Promise<{ pool: DatabasePool; timed: TimedPool }> | undefined

  async function open() {
    const pool = await openPool(main.configuration.connectionUri, size, 30_000, maxSearchMs)
    return { pool, timed: withAcquireTimeout(pool, waitMs) }
  }

  async function connected(): Promise<DatabasePool> {
    opened ??= open()
    try {
      return (await opened).timed.db
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  return {
    async run(orgId, search) {
      using _turn = await lineOf(orgId)
      try {
        return await search(await connected())
      } catch (error) {
        throw isTooBroad(error) ? searchTooBroad(new TooBroadError().message) : error
      }
    },
    async renew() {
      await (await opened)?.timed.renew()
    },
    async end() {
      const { pool, timed } = (await opened?.catch(() => undefined)) ?? {}
      await timed?.end()
      await pool?.end()
    },
  }
}
