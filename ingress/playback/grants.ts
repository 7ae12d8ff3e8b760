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
import { type BatchedLookup, createBatchedLookup } from '../http/database/batched-lookup.ts'

/**
 * Time in milliseconds for which admitted viewers can continue while the database is unavailable. It is longer than the
 * interval between a player's requests.
 */
const rememberedMs = 30_000

const batch = <Row extends object>(
  find: (db: DatabasePool, ids: string[]) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
) => createBatchedLookup(find, idOf, rememberedMs)

type Lookup<Row extends object = Grant> = BatchedLookup<Row>

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
