import { isTooBroad, mostMs, TooBroad } from '#sql/bounded.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type TimedPool, withAcquireTimeout } from '../database/acquire-timeout.ts'
import { problem } from '../problem-kinds.ts'
import { createLines } from './at-once.ts'

/** What a search is answered that has too much to look through. */
export const searchTooBroad = problem(
  400,
  'search_too_broad',
  'Too much fits the search to be looked through in a second: say more.',
)

/** Runs searches on connections of their own. */
export interface Searches {
  /** Does a search of an organisation in its turn; throws 429 when too many of its own wait before it. */
  run<T>(orgId: string, search: (db: DatabasePool) => Promise<T>): Promise<T>
  renew(): Promise<void>
  end(): Promise<void>
}

/** Connections for searches in a process: what they hold at most of the database, whose other work goes on beside them. */
export const searchConnections = 4

/** Milliseconds that a search waits for its turn, and then for a connection: longer than those before it may take. */
const waitMs = 3_000

/** Searches of one organisation that wait for those before them: a page's worth, as each takes some 10 ms. */
const inLine = 100

/**
 * A search may read a hundred thousand rows, so it gets none of the connections that requests live of. An organisation has at
 * most half of those for searches at once; its further searches wait in a line of their own.
 */
export function createSearches(main: DatabasePool, size = searchConnections): Searches {
  const lineOf = createLines({ ofOne: Math.max(1, Math.floor(size / 2)), inLine, waitMs })
  let opened: Promise<{ pool: DatabasePool; timed: TimedPool }> | undefined

  async function open() {
    const pool = await openPool(main.configuration.connectionUri, size, 30_000, mostMs)
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
        throw isTooBroad(error) ? searchTooBroad(new TooBroad().message) : error
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
