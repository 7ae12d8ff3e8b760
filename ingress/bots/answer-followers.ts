import { AsyncLocalStorage } from 'node:async_hooks'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import * as answers from '#sql/bots/answers.ts'
import { answersChannel } from '#sql/bots/messages.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../http/container.ts'
import { followChannel } from '../http/follow-channel.ts'

/** Follows pending answers for waiting requests. Reads the news of many answers in one statement. */
export interface AnswerFollowers {
  /** Resolves when the answer ends or is deleted, or when the signal aborts. `told` receives the text as it arrives. */
  follow(answerId: string, signal: AbortSignal, told?: AnswerListener): Promise<void>
  close(): Promise<void>
}

export interface AnswerListener {
  delta(text: string): void
  /** Called when another worker starts the answer again. The listener must discard the text received so far. */
  restarted(): void
}

interface Follower extends answers.FollowedAnswer {
  told: AnswerListener | undefined
  ended: () => void
}

const atOnce = 1_000

/** Follows answers on one connection. The connection opens when the first answer is followed. */
export const answerFollowers = service<AnswerFollowers>({
  name: 'bots.answer followers',
  open: ({ db }) => createAnswerFollowers(db),
  close: (followers) => followers.close(),
})

function createAnswerFollowers(db: DatabasePool): AnswerFollowers {
  const all = new Map<string, Set<Follower>>()
  const stale = new Set<Follower>()
  // A read serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()
  let reading = false

  function wake(followers: Iterable<Follower>): void {
    for (const follower of followers) stale.add(follower)
    if (reading || stale.size === 0) return
    reading = true
    setImmediate(() => outside(() => void readStale()))
  }

  async function readStale(): Promise<void> {
    try {
      while (stale.size > 0) await readSome()
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read pending answers')
    } finally {
      reading = false
    }
  }

  async function readSome(): Promise<void> {
    const taken = [...stale].slice(0, atOnce)
    for (const follower of taken) stale.delete(follower)
    for (const { place, status, chunks } of await answers.readNews(db, taken)) {
      const follower = taken[place] as Follower
      for (const chunk of chunks ?? []) tell(follower, chunk)
      if (status !== 'pending') follower.ended()
    }
  }

  function tell(follower: Follower, [generation, n, text]: [number, number, string]): void {
    if (follower.generation !== generation && follower.n > 0) follower.told?.restarted()
    Object.assign(follower, { generation, n })
    follower.told?.delta(text)
  }

  const channel = followChannel(db, answersChannel, {
    wakeOne: (id) => wake(all.get(id) ?? []),
    wakeAll: () => wake([...all.values()].flatMap((followers) => [...followers])),
  })

  return {
    async follow(id, signal, told) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const follower: Follower = { id, generation: 0, n: 0, told, ended: resolve }
      const followers = all.get(id) ?? new Set()
      all.set(id, followers.add(follower))
      channel.open()
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
      wake([follower])
      await promise
      stale.delete(follower)
      followers.delete(follower)
      if (followers.size === 0) all.delete(id)
    },
    close: channel.close,
  }
}
