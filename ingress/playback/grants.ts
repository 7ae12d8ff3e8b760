import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import {
  findGrants,
  findLiveGrants,
  findOpenGrants,
  findOpenLiveGrants,
  type Grant,
  type LiveGrant,
} from '#sql/video/playback-sessions.ts'
import { isDatabaseAway } from '../http/problems.ts'

/** Answers of one kind of look-up, many in a statement. */
type Find<Row> = (db: DatabasePool, ids: string[]) => Promise<readonly Row[]>

/** Milliseconds for which those who were let in go on while the database is away: longer than players wait between two requests. */
const rememberedMs = 30_000

/**
 * Looks ids up many at a time: what is asked while a statement runs goes into the next one. No answer is older than its
 * question, so that a revoked right ends with the very next request; only while the database is away the last one holds.
 */
function batch<Row extends object>(find: Find<Row>, idOf: (row: Row) => string): Lookup<Row> {
  const remembered = new LRUCache<string, Row>({ max: 50_000, ttl: rememberedMs })
  let waiting: PendingLookups<Row> = new Map()
  let busy = false
  function answer(asked: PendingLookups<Row>, found: ReadonlyMap<string, Row>): void {
    for (const [id, { resolve }] of asked) {
      remembered.set(id, found.get(id))
      resolve(found.get(id))
    }
  }
  function fail(asked: PendingLookups<Row>, error: unknown): void {
    const isAway = isDatabaseAway(error)
    for (const [id, { resolve, reject }] of asked) {
      const before = isAway && remembered.get(id)
      if (before) resolve(before)
      else reject(error)
    }
  }
  async function runBatches(db: DatabasePool): Promise<void> {
    busy = true
    while (waiting.size > 0) {
      const asked = waiting
      waiting = new Map()
      try {
        const found = new Map((await find(db, [...asked.keys()])).map((row) => [idOf(row), row]))
        answer(asked, found)
      } catch (error) {
        fail(asked, error)
      }
    }
    busy = false
  }
  return {
    async ask(db, id) {
      const known = waiting.get(id) ?? Promise.withResolvers<Row | undefined>()
      waiting.set(id, known)
      if (!busy) void runBatches(db)
      return await known.promise
    },
    forget: (id) => void remembered.delete(id),
  }
}

type PendingLookups<Row> = Map<string, PromiseWithResolvers<Row | undefined>>

interface Lookup<Row = Grant> {
  ask(db: DatabasePool, id: string): Promise<Row | undefined>
  forget(id: string): void
}
interface Lookups {
  session: Lookup
  live: Lookup<LiveGrant>
  open: Lookup
  openLive: Lookup<LiveGrant>
}
const batches = new WeakMap<DatabasePool, Lookups>()

function batchesOf(db: DatabasePool) {
  const known = batches.get(db) ?? {
    session: batch(findGrants, ({ session_id }) => session_id),
    live: batch(findLiveGrants, ({ session_id }) => session_id),
    open: batch(findOpenGrants, ({ asset_id }) => asset_id),
    openLive: batch(findOpenLiveGrants, ({ channel_id }) => channel_id),
  }
  batches.set(db, known)
  return known
}

/** What a playback session grants now. */
export const grantOfSession = (db: DatabasePool, sessionId: string) => batchesOf(db).session.ask(db, sessionId)

/** What a live playback session grants now. */
export const grantOfLiveSession = (db: DatabasePool, sessionId: string) => batchesOf(db).live.ask(db, sessionId)

/** What an asset grants to those without a session now. */
export const grantOfAsset = (db: DatabasePool, assetId: string) => batchesOf(db).open.ask(db, assetId)

/** What a live channel grants to those without a session now. */
export const grantOfChannel = (db: DatabasePool, channelId: string) => batchesOf(db).openLive.ask(db, channelId)

/** A live session, or a channel for those without one, was revoked: nothing is remembered of it. */
export function forgetRevoked(db: DatabasePool, id: string): void {
  const { live, openLive } = batchesOf(db)
  live.forget(id)
  openLive.forget(id)
}

/** Playlists by package and name: they never change, and every play begins with them. */
export const playlistCache = new LRUCache<string, string>({
  maxSize: 32 * 1024 ** 2,
  sizeCalculation: (body) => body.length + 100,
})

/** Packages that were seen, by asset and package: an asset's package stays its own. */
export const packageCache = new LRUCache<string, true>({ max: 10_000 })
