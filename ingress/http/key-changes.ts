import { setTimeout } from 'node:timers/promises'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { sessionUrl } from '#sql/session-url.ts'
import { service } from './container.ts'

/** Tells a process that keys have changed or ended: what it remembers of them is over. */
export interface KeyChanges {
  /** Calls `heard` with the id of a key that has changed, and with undefined when changes of any key may have been missed. */
  follow(heard: (keyId: string | undefined) => void): () => void
  /** Resolves when this process has heard of all changes that are committed, or has forgotten all keys. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds to wait for a connection that may be dead: all keys are forgotten then. */
const waitMs = 1_000

/** The channel that triggers of `account.keys` and `account.key_secrets` notify. */
const channel = 'account_keys_changed'

/** Tells of changes of keys on every process, by one connection that is opened when somebody follows. */
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
    const opened = listen(sessionUrl(db), [channel])
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
