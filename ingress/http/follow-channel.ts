import { runEvery, type Timer } from '#lib/every.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'

/** Polling interval in milliseconds. Polling finds changes whose notification was lost with its connection. */
const checkMs = 2_000

export interface FollowedChannel {
  /** Opens the connection, if it is not open yet. */
  open(): void
  close(): Promise<void>
}

/**
 * Follows a channel whose notifications are IDs, on one connection. Calls `wakeOne` for each notification, and `wakeAll`
 * when notifications may have been lost.
 */
export function followChannel(
  db: DatabasePool,
  channel: string,
  { wakeOne, wakeAll }: { wakeOne(id: string): void; wakeAll(): void },
): FollowedChannel {
  let listener: Listener | undefined
  let checking: Timer | undefined
  return {
    open() {
      if (listener) return
      listener = listen(getSessionUrl(db), [channel])
      listener.on(channel, wakeOne)
      listener.onConnect(wakeAll)
      checking = runEvery(
        checkMs,
        async () => wakeAll(),
        () => {},
      ).unref()
    },
    async close() {
      await checking?.stop()
      await listener?.close()
    },
  }
}
