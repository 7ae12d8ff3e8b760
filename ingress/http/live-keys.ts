import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { cacheMs } from './auth.ts'
import { service } from './container.ts'
import { type KeyChanges, keyChanges } from './key-changes.ts'

export interface LiveKeys {
  /** True if the key is not revoked and its organisation is not closed. The result can be up to `cacheMs` old. */
  isLive(keyId: string): Promise<boolean>
  /**
   * Calls `end` within 5 seconds when the key is revoked or its organisation is closed. This works on every process.
   * The returned function cancels it.
   */
  follow(keyId: string, end: () => void): () => void
  close(): Promise<void>
}

/**
 * Interval of key lookups in milliseconds. Including the cache, a stream ends within 5 seconds after its key is
 * revoked.
 */
const lookMs = 1_500

export const liveKeys = service<LiveKeys>({
  name: 'live keys',
  open: ({ db, services }) => createLiveKeys(db, services(keyChanges)),
  close: (live) => live.close(),
})

function createLiveKeys(db: DatabasePool, changes: KeyChanges): LiveKeys {
  const known = new LRUCache<string, boolean>({
    max: 10_000,
    ttl: cacheMs,
    fetchMethod: async (id) => (await keys.filterActive(db, [id])).has(id),
    // A lookup in progress when its key changes still returns its result, but the result is not cached.
    ignoreFetchAbort: true,
  })
  const followed = new Map<string, Set<() => void>>()
  let looking: NodeJS.Timeout | undefined
  let unfollow: (() => void) | undefined
  let closed = false

  async function endLost(asked: readonly string[]): Promise<void> {
    try {
      const live = await keys.filterActive(db, asked)
      for (const id of asked.filter((one) => !live.has(one))) {
        const ends = followed.get(id) ?? []
        followed.delete(id)
        for (const end of [...ends]) end()
      }
    } catch (error) {
      log.debug({ err: describe(error) }, 'the keys of open streams could not be looked up')
    }
  }

  async function look(): Promise<void> {
    await endLost([...followed.keys()])
    looking = undefined
    schedule()
  }

  function hear(keyId: string | undefined): void {
    if (keyId === undefined) known.clear()
    else known.delete(keyId)
    const asked = keyId === undefined ? [...followed.keys()] : followed.has(keyId) ? [keyId] : []
    if (asked.length > 0) void endLost(asked)
  }

  function schedule(): void {
    if (closed || looking || followed.size === 0) return
    looking = setTimeout(() => void look(), lookMs).unref()
  }

  return {
    async isLive(id) {
      unfollow ??= changes.follow(hear)
      return (await known.fetch(id)) ?? false
    },
    follow(id, end) {
      unfollow ??= changes.follow(hear)
      const ends = followed.get(id) ?? new Set()
      followed.set(id, ends.add(end))
      schedule()
      return () => {
        ends.delete(end)
        if (ends.size === 0 && followed.get(id) === ends) followed.delete(id)
      }
    },
    async close() {
      closed = true
      unfollow?.()
      clearTimeout(looking)
    },
  }
}
