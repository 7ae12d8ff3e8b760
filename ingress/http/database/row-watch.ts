import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until rows reach a final state. */
export interface RowWatch<State> {
  /** Returns the state of a row when it has settled, or the current state after `ms` milliseconds. */
  wait(id: string, ms: number): Promise<State>
}

interface RowWatchOptions<State> {
  /** Returns the states of rows by ID, with one statement for all waiting requests. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, State>>
  /** The state of an unknown row. */
  initial: State
  /** True if the state is final. */
  hasSettled(state: State): boolean
  stopping: AbortSignal
}

/** Polling interval in milliseconds. */
const pollMs = 40

interface Waiter<State> {
  until: number
  tell: (state: State) => void
}

/** Creates a watch over rows of one kind. */
export function createRowWatch<State>({
  read,
  initial,
  hasSettled,
  stopping,
}: RowWatchOptions<State>): RowWatch<State> {
  const waiting = new Map<string, Set<Waiter<State>>>()
  let looking = false
  // It polls for many requests, so it runs outside the log context of the request that started it.
  const outside = AsyncLocalStorage.snapshot()

  async function look(): Promise<void> {
    looking = true
    while (waiting.size > 0) {
      await pause(pollMs)
      // While the database is unavailable, no states are known and requests end at their timeout.
      const found = await read([...waiting.keys()]).catch(() => new Map<string, State>())
      for (const [id, all] of waiting) tell(id, all, found.get(id) ?? initial)
    }
    looking = false
  }

  function tell(id: string, all: Set<Waiter<State>>, state: State): void {
    const now = performance.now()
    const isOver = hasSettled(state) || stopping.aborted
    for (const one of all) {
      if (!isOver && now < one.until) continue
      all.delete(one)
      one.tell(state)
    }
    if (all.size === 0) waiting.delete(id)
  }

  return {
    wait(id, ms) {
      const { promise, resolve } = Promise.withResolvers<State>()
      const all = waiting.get(id) ?? new Set()
      waiting.set(id, all.add({ until: performance.now() + ms, tell: resolve }))
      if (!looking) outside(() => void look())
      return promise
    },
  }
}
