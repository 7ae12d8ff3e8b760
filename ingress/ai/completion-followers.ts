import { completionsChannel } from '#sql/ai/completions.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../http/container.ts'
import { followChannel } from '../http/follow-channel.ts'

export interface Follower extends Disposable {
  /** Resolves when there may be news since the last call, or when the signal aborts. */
  news(signal: AbortSignal): Promise<void>
}

export interface CompletionFollowers {
  follow(id: string): Follower
  close(): Promise<void>
}

/** Follows completions on one connection. The connection opens when the first completion is followed. */
export const completionFollowers = service<CompletionFollowers>({
  name: 'ai.completion followers',
  open: ({ db }) => createCompletionFollowers(db),
  close: (followers) => followers.close(),
})

function createCompletionFollowers(db: DatabasePool): CompletionFollowers {
  const wakes = new Map<string, Set<() => void>>()
  const wakeOne = (id: string) => {
    for (const wake of wakes.get(id) ?? []) wake()
  }
  const wakeAll = () => {
    for (const id of wakes.keys()) wakeOne(id)
  }
  const channel = followChannel(db, completionsChannel, { wakeOne, wakeAll })

  return {
    follow(id) {
      let waiting = Promise.withResolvers<void>()
      const wake = () => waiting.resolve()
      const followers = wakes.get(id) ?? new Set()
      wakes.set(id, followers.add(wake))
      channel.open()
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
    close: channel.close,
  }
}
