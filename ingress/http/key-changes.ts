import { setTimeout } from 'node:timers/promises'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { service } from './container.ts'

export interface KeyChanges {
  /** Calls `heard` with the ID of each changed key. Calls `heard` with undefined if changes may have been missed. */
  follow(heard: (keyId: string | undefined) => void): () => void
  /** Resolves when this process has received all committed changes, or has removed all keys from its cache. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/**
 * Timeout in milliseconds for a connection that may be broken. After the timeout, all keys are removed from the cache.
 */
const waitMs = 1_000

const channel = 'account_keys_changed'

export const keyChanges = service<KeyChanges>({
  name: 'key changes',
  open: ({ db }) => createKeyChanges(db),
  close: (changes) => changes.close(),
})

function createKeyChanges(db: DatabasePool): KeyChanges {
  const followers = new Set<(keyId: string | undefined) => void>()
  let listener: Listener | undefined
  const tell = (keyId: string | undefined) => {
    for (const heard of followers) heard(keyId)
  }

  function open(): Listener {
    const opened = listen(getSessionUrl(db), [channel])
    opened.on(channel, tell)
    opened.onConnect(() => tell(undefined))
    return opened
  }

  return {
    follow(heard) {
      listener ??= open()
      followers.add(heard)
      return () => followers.delete(heard)
    },
    async caughtUp() {
      if (!listener) return
      const late = new AbortController()
      const isLate = setTimeout(waitMs, true, { ref: false, signal: late.signal }).catch(() => true)
      const hasHeard = await Promise.race([listener.caughtUp().then(() => true), isLate.then(() => false)]).catch(
        () => false,
      )
      late.abort()
      if (!hasHeard) tell(undefined)
    },
    async close() {
      await listener?.close()
    },
  }
}
