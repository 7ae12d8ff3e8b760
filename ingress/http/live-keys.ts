import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { cacheMs } from './auth.ts'
import { service } from './container.ts'
import { type KeyChanges, keyChanges } from './key-changes.ts'

/** What was handed out with an API key ends with it. */
export interface LiveKeys {
  /** True if a key is not revoked and its organisation is not closed, as it was `cacheMs` ago at most. */
  isLive(keyId: string): Promise<boolean>
  /** Calls `end` once the key is revoked or its organisation closed, within 5 seconds on every process; what it returns forgets that. */
  follow(keyId: string, end: () => void): () => void
  close(): Promise<void>
}

/** How often the keys of what is open are looked up: with what is cached before a stream opens, they end within 5 seconds. */
const lookMs = 1_500

/** Ends what lives on API keys. */
export const liveKeys = service<LiveKeys>({
  name: 'live keys',
  open: ({ db, services }) => createLiveKeys(db, services(keyChanges)),
  close: (live) => live.close(),
})

function createLiveKeys(db: DatabasePool, changes: KeyChanges): LiveKeys {
  const known = new LRUCache<string, boolean>({
    max: 10_000,
    ttl: cacheMs,
    fetchMethod: async (id) => (await keys.liveOf(db, [id])).has(id),
  })
  const followed = new Map<string, Set<() => void>>()
  let looking: NodeJS.Timeout | undefined
  let unfollow: (() => void) | undefined
  let closed = false

  async function look(): Promise<void> {
    try {
      // A key that is followed while this is asked has not been looked up: it is the next look's.
      const asked = [...followed.keys()]
      const live = await keys.liveOf(db, asked)
      for (const id of asked) {
        if (!live.has(id)) for (const end of [...(followed.get(id) ?? [])]) end()
      }
    } catch (error) {
      log.debug({ err: describe(error) }, 'the keys of open streams could not be looked up')
    }
    looking = undefined
    schedule()
  }

  /** What a key's change is heard of is looked at now. */
  function hear(keyId: string | undefined): void {
    if (keyId === undefined) known.clear()
    else known.delete(keyId)
    if (keyId === undefined ? followed.size === 0 : !followed.has(keyId)) return
    clearTimeout(looking)
    looking = undefined
    void look()
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
