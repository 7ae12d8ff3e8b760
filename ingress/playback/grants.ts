import { LRUCache } from 'lru-cache'
import type { DatabasePool } from '#sql/db.ts'
import {
  findGrants,
  findLiveGrants,
  findOpenGrants,
  findOpenLiveGrants,
  type Grant,
  type LiveGrant,
} from '#sql/playback/sessions.ts'
import { isDatabaseUnavailable } from '../http/problems.ts'

type Find<Row> = (db: DatabasePool, ids: string[]) => Promise<readonly Row[]>

/**
 * Time in milliseconds for which admitted viewers can continue while the database is unavailable. It is longer than the
 * interval between a player's requests.
 */
const rememberedMs = 30_000

/**
 * Looks up many IDs in one statement. Requests that arrive during a statement are part of the next one. A result is
 * never older than its request, so a revoked right ends with the next request. Only if the database is unavailable, the
 * last result is used again.
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
    const isAway = isDatabaseUnavailable(error)
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

export const getSessionGrant = (db: DatabasePool, sessionId: string) => batchesOf(db).session.ask(db, sessionId)

export const getLiveSessionGrant = (db: DatabasePool, sessionId: string) => batchesOf(db).live.ask(db, sessionId)

export const getAssetGrant = (db: DatabasePool, assetId: string) => batchesOf(db).open.ask(db, assetId)

export const getChannelGrant = (db: DatabasePool, channelId: string) => batchesOf(db).openLive.ask(db, channelId)

/** Removes a live session, or a channel without sessions, from memory after it was revoked. */
export function dropRevokedGrant(db: DatabasePool, id: string): void {
  const { live, openLive } = batchesOf(db)
  live.forget(id)
  openLive.forget(id)
}

/** Playlists by package and name. They are cached, because they never change and every playback starts with them. */
export const playlistCache = new LRUCache<string, string>({
  maxSize: 32 * 1024 ** 2,
  sizeCalculation: (body) => body.length + 100,
})

/** Known packages by asset and package. A package never moves to a different asset. */
export const packageCache = new LRUCache<string, true>({ max: 10_000 })
