import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '#lib/errors.ts'
import { writeInHalves } from '#lib/splitting.ts'
import * as idempotency from '#sql/account/idempotency.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Answer } from '../idempotency.ts'
import { groupSizes } from '../metrics.ts'
import { isServiceUnavailable } from '../problems.ts'
import type { Route } from '../route.ts'
import { commitGroup, type Member, type Outcome } from './group-transaction.ts'

export interface GroupCommitSettings {
  size: number
  /** Number of concurrent transactions. With two, one is filled while the other is committed. */
  flushes: number
  queue: number
  linger: number
}

export const groupCommitDefaults: GroupCommitSettings = { size: 100, flushes: 2, queue: 2_000, linger: 2 }

interface QueuedRequest extends Member {
  answer: (answer: Answer | PromiseLike<Answer>) => void
  fail: (error: unknown) => void
}

/**
 * Commits many calls of a grouped route together. With one job per transaction, NOTIFY’s lock allows only about 1,000
 * transactions per second, regardless of the number of connections. A transaction costs as much as thirty of its rows
 * (measured). So a group waits briefly until it is as large as the last one. Groups grow under load, and a single
 * request is committed immediately.
 */
export function createGroupCommit(
  db: DatabasePool,
  route: Pick<Route, 'commit'>,
  present: (value: unknown) => string,
  settings: GroupCommitSettings = groupCommitDefaults,
): (call: object, ref?: idempotency.Ref) => Promise<Answer> {
  const queue: QueuedRequest[] = []
  let flushing = 0
  let lastSize = 1
  let scheduled = false
  let timer: NodeJS.Timeout | undefined
  // A flush serves many requests. So it runs outside the log context and transaction of the request that started it.
  const outside = AsyncLocalStorage.snapshot()

  const isFree = () => !scheduled && flushing < settings.flushes && queue.length > 0

  function schedule(): void {
    if (!isFree()) return
    if (queue.length >= lastSize) start()
    else timer ??= outside(() => setTimeout(lingered, settings.linger))
  }

  function lingered(): void {
    timer = undefined
    if (isFree()) start()
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    scheduled = true
    // The delay lets requests from other connections join the group.
    outside(() =>
      setImmediate(() => {
        scheduled = false
        void flushNext()
        schedule()
      }),
    )
  }

  async function flushNext(): Promise<void> {
    const group = take()
    lastSize = group.length
    flushing++
    await flush(group)
    flushing--
    schedule()
  }

  /** Returns the next requests. A group never contains two requests with the same idempotency key. */
  function take(): QueuedRequest[] {
    const names = new Set<string>()
    const taken: QueuedRequest[] = []
    const left: QueuedRequest[] = []
    for (const waiting of queue) {
      const name = waiting.ref && idempotency.nameOf(waiting.ref)
      const fits = taken.length < settings.size && (name === undefined || !names.has(name))
      if (fits && name !== undefined) names.add(name)
      ;(fits ? taken : left).push(waiting)
    }
    queue.splice(0, queue.length, ...left)
    return taken
  }

  /** Commits a group and responds to its requests. If one request fails, all others still succeed. */
  const flush = (group: readonly QueuedRequest[]): Promise<void> =>
    writeInHalves(group, {
      async write(part) {
        const outcomes = await db.transaction((tx) => commitGroup(tx, route, present, part))
        groupSizes.observe(part.length)
        for (const [i, waiting] of part.entries()) resolve(waiting, outcomes[i] as Outcome)
      },
      isOnes: (error) => !isServiceUnavailable(error) || isRolledBack(error),
      failed(part, error) {
        for (const waiting of part) waiting.fail(error)
      },
    })

  return (call, ref) => {
    if (queue.length >= settings.queue) throw unavailable('Too many requests are waiting to be stored.', 1)
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<Answer>()
    queue.push({ call, ref, answer, fail })
    schedule()
    return promise
  }
}

/**
 * True if the transaction was rolled back because of a conflict (class 40: deadlock, serialization) and all retries
 * failed.
 */
function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('40')
}

function resolve(waiting: QueuedRequest, outcome: Outcome): void {
  if (outcome instanceof Error) waiting.fail(outcome)
  else waiting.answer(outcome)
}
