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

/** Answers of one kind of look-up, many in a statement. */
type Find<Row> = (db: DatabasePool, ids: string[]) => Promise<readonly Row[]>

/**
 * Looks ids up many at a time: what is asked while a statement runs goes into the next one. No answer is older than its
 * question, so that a revoked right ends with the very next request.
 */
function batch<Row>(find: Find<Row>, idOf: (row: Row) => string) {
  let waiting = new Map<string, PromiseWithResolvers<Row | undefined>>()
  let busy = false
  async function runBatches(db: DatabasePool): Promise<void> {
    busy = true
    while (waiting.size > 0) {
      const asked = waiting
      waiting = new Map()
      try {
        const found = new Map((await find(db, [...asked.keys()])).map((row) => [idOf(row), row]))
        for (const [id, { resolve }] of asked) resolve(found.get(id))
      } catch (error) {
        for (const { reject } of asked.values()) reject(error)
      }
    }
    busy = false
  }
  return (db: DatabasePool, id: string): Promise<Row | undefined> => {
    const known = waiting.get(id) ?? Promise.withResolvers<Row | undefined>()
    waiting.set(id, known)
    if (!busy) void runBatches(db)
    return known.promise
  }
}

type Lookup<Row = Grant> = (db: DatabasePool, id: string) => Promise<Row | undefined>
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
export const grantOfSession: Lookup = (db, sessionId) => batchesOf(db).session(db, sessionId)

/** What a live playback session grants now. */
export const grantOfLiveSession: Lookup<LiveGrant> = (db, sessionId) => batchesOf(db).live(db, sessionId)

/** What an asset grants to those without a session now. */
export const grantOfAsset: Lookup = (db, assetId) => batchesOf(db).open(db, assetId)

/** What a live channel grants to those without a session now. */
export const grantOfChannel: Lookup<LiveGrant> = (db, channelId) => batchesOf(db).openLive(db, channelId)

/** Playlists by package and name: they never change, and every play begins with them. */
export const playlistCache = new LRUCache<string, string>({
  maxSize: 32 * 1024 ** 2,
  sizeCalculation: (body) => body.length + 100,
})

/** Packages that were seen, by asset and package: an asset's package stays its own. */
export const packageCache = new LRUCache<string, true>({ max: 10_000 })
