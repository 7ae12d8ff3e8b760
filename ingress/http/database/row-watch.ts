import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits for what becomes of rows. */
export interface RowWatch<State> {
  /** The state of a row once it has settled, or as it is when the time has passed. */
  wait(id: string, ms: number): Promise<State>
}

interface RowWatchOptions<State> {
  /** The states of rows, by their ids: one statement for all that a process waits for. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, State>>
  /** The state of a row that nothing is known of. */
  initial: State
  /** Whether nothing is to be waited for any more. */
  hasSettled(state: State): boolean
  stopping: AbortSignal
}

/** How often rows that are waited for are looked at. */
const pollMs = 40

interface Waiter<State> {
  until: number
  tell: (state: State) => void
}

/** Makes the watch of a process over rows of one kind. */
export function createRowWatch<State>({
  read,
  initial,
  hasSettled,
  stopping,
}: RowWatchOptions<State>): RowWatch<State> {
  const waiting = new Map<string, Set<Waiter<State>>>()
  let looking = false
  // It looks for many requests, so outside the log context of the one that set it off.
  const outside = AsyncLocalStorage.snapshot()

  async function look(): Promise<void> {
    looking = true
    while (waiting.size > 0) {
      await pause(pollMs)
      // While the database is away nothing is known, and those who have waited long enough go.
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
