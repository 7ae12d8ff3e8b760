import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem, unavailable } from '#lib/errors.ts'
import * as idempotency from '#sql/account/idempotency.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { AnyCall } from './call.ts'
import { type Answer, replay } from './idempotency.ts'
import { groupSizes } from './measures.ts'
import { isAway } from './problems.ts'
import type { Route } from './route.ts'

/** How many requests wait, and how many are committed at once. */
export interface GroupSettings {
  /** Requests in one transaction. */
  size: number
  /** Transactions at once: with two, one is filled while the other is committed. */
  flushes: number
  /** Requests that may wait; the next one is told to come again. */
  queue: number
}

/** The settings of every group unless a process says other. */
export const groupDefaults: GroupSettings = { size: 100, flushes: 2, queue: 2_000 }

/** A request that waits for its commit. */
interface Waiting {
  call: AnyCall
  ref: idempotency.Ref | undefined
  answer: (answer: Answer | PromiseLike<Answer>) => void
  fail: (error: unknown) => void
}

type Outcome = Answer | Error

/**
 * Commits the calls of a grouped route many at a time: whatever has come while others were being committed goes together.
 * One job per transaction is capped at about 1,000/s by NOTIFY's lock however many connections; groups reach ten times that.
 */
export function createGroup(
  db: DatabasePool,
  route: Route,
  present: (value: unknown) => string,
  settings: GroupSettings = groupDefaults,
): (call: AnyCall, ref: idempotency.Ref | undefined) => Promise<Answer> {
  const queue: Waiting[] = []
  let flushing = 0
  let scheduled = false
  // A flush serves many requests, so it runs outside the log context and transaction of the one that set it off.
  const outside = AsyncLocalStorage.snapshot()

  function schedule(): void {
    if (scheduled || flushing >= settings.flushes || queue.length === 0) return
    scheduled = true
    outside(() =>
      setImmediate(() => {
        scheduled = false
        flushing++
        void flush(take()).finally(() => {
          flushing--
          schedule()
        })
        schedule()
      }),
    )
  }

  /** The next requests; two with the same idempotency key never go together. */
  function take(): Waiting[] {
    const names = new Set<string>()
    const taken: Waiting[] = []
    for (let i = 0; i < queue.length && taken.length < settings.size; ) {
      const waiting = queue[i] as Waiting
      const name = waiting.ref && idempotency.nameOf(waiting.ref)
      if (name !== undefined && names.has(name)) {
        i++
        continue
      }
      if (name !== undefined) names.add(name)
      taken.push(waiting)
      queue.splice(i, 1)
    }
    return taken
  }

  async function flush(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await db.transaction((tx) => commit(tx, route, present, group))
      groupSizes.observe(group.length)
      for (const [i, waiting] of group.entries()) settle(waiting, outcomes[i] as Outcome)
    } catch (error) {
      if (group.length === 1 || isAway(error)) {
        for (const waiting of group) waiting.fail(error)
        return
      }
      for (const waiting of group) await flush([waiting])
    }
  }

  return (call, ref) => {
    if (queue.length >= settings.queue) throw unavailable('Too many requests are waiting to be stored.', 1)
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    queue.push({ call, ref, answer: resolve, fail: reject })
    schedule()
    return promise
  }
}

function settle(waiting: Waiting, outcome: Outcome): void {
  if (outcome instanceof Error) waiting.fail(outcome)
  else waiting.answer(outcome)
}

/** Does what is new in a group and answers what is repeated, in the caller's transaction. */
async function commit(
  tx: Db,
  route: Route,
  present: (value: unknown) => string,
  group: readonly Waiting[],
): Promise<Outcome[]> {
  const refs = group.flatMap(({ ref }) => (ref ? [ref] : []))
  const claimed = refs.length > 0 ? await idempotency.claim(tx, refs) : new Set<string>()
  const isFresh = ({ ref }: Waiting) => ref === undefined || claimed.has(idempotency.nameOf(ref))
  const repeated = refs.filter((ref) => !claimed.has(idempotency.nameOf(ref)))
  const stored = repeated.length > 0 ? await idempotency.find(tx, repeated) : new Map<string, idempotency.Stored>()

  const fresh = group.filter(isFresh)
  const replies = fresh.length > 0 ? await route.commit?.(tx, fresh.map(({ call }) => call) as never) : []
  if (replies?.length !== fresh.length) throw new Error('`commit` must return one answer for each call.')
  const done = new Map(fresh.map((waiting, i) => [waiting, outcomeOf(replies[i], present)]))
  await keepAnswers(tx, done)
  return group.map((waiting) => done.get(waiting) ?? repeatedOutcome(waiting.ref as idempotency.Ref, stored))
}

function outcomeOf(reply: unknown, present: (value: unknown) => string): Outcome {
  return reply instanceof Error ? reply : { text: present(reply), replayed: false }
}

function repeatedOutcome(ref: idempotency.Ref, stored: ReadonlyMap<string, idempotency.Stored>): Outcome {
  const before = stored.get(idempotency.nameOf(ref))
  if (!before) return new Error('An idempotency key was neither free nor taken.')
  try {
    return replay(ref, before)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Keeps the answers that were given and gives back the keys of requests that were refused. */
async function keepAnswers(tx: Db, done: ReadonlyMap<Waiting, Outcome>): Promise<void> {
  const given: { ref: idempotency.Ref; reply: string }[] = []
  const refused: idempotency.Ref[] = []
  for (const [{ ref }, outcome] of done) {
    if (!ref) continue
    if (outcome instanceof Error) refused.push(ref)
    else given.push({ ref, reply: outcome.text })
  }
  if (given.length > 0) await idempotency.keep(tx, given)
  if (refused.length > 0) await idempotency.release(tx, refused)
}
