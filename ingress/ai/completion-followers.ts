import { runEvery, type Timer } from '#lib/every.ts'
import { completionsChannel } from '#sql/ai/completions.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { service } from '../http/container.ts'

export interface Follower extends Disposable {
  /** Resolves when there may be news since the last call, or when the signal aborts. */
  news(signal: AbortSignal): Promise<void>
}

export interface CompletionFollowers {
  follow(id: string): Follower
  close(): Promise<void>
}

/** Polling interval in milliseconds. Polling finds changes whose notification was lost with its connection. */
const checkMs = 2_000

/** Follows completions on one connection. The connection opens when the first completion is followed. */
export const completionFollowers = service<CompletionFollowers>({
  name: 'ai.completion followers',
  open: ({ db }) => createCompletionFollowers(db),
  close: (followers) => followers.close(),
})

function createCompletionFollowers(db: DatabasePool): CompletionFollowers {
  const wakes = new Map<string, Set<() => void>>()
  let listener: Listener | undefined
  let checking: Timer | undefined

  function startListening(): void {
    if (listener) return
    listener = listen(getSessionUrl(db), [completionsChannel])
    const wakeOne = (id: string) => {
      for (const wake of wakes.get(id) ?? []) wake()
    }
    listener.on(completionsChannel, wakeOne)
    const wakeAll = () => {
      for (const id of wakes.keys()) wakeOne(id)
    }
    listener.onConnect(wakeAll)
    checking = runEvery(
      checkMs,
      async () => wakeAll(),
      () => {},
    ).unref()
  }

  return {
    follow(id) {
      let waiting = Promise.withResolvers<void>()
      const wake = () => waiting.resolve()
      const followers = wakes.get(id) ?? new Set()
      wakes.set(id, followers.add(wake))
      startListening()
      return {
        async news(signal) {
          signal.addEventListener('abort', wake, { once: true })
          if (signal.aborted) wake()
          await waiting.promise
          signal.removeEventListener('abort', wake)
          waiting = Promise.withResolvers()
        },
        [Symbol.dispose]() {
          followers.delete(wake)
          if (followers.size === 0) wakes.delete(id)
        },
      }
    },
    async close() {
      await checking?.stop()
      await listener?.close()
    },
  }
}
