import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'

export interface RowWatch<State> {
  wait(id: string, ms: number): Promise<State>
}

interface RowWatchOptions<State> {
  read(ids: readonly string[]): Promise<ReadonlyMap<string, State>>
  initial: State
  hasSettled(state: State): boolean
  stopping: AbortSignal
}

const pollMs = 40

interface Waiter<State> {
  until: number
  tell: (state: State) => void
}

export function createRowWatch<State>({
  read,
  initial,
  hasSettled,
  stopping,
}: RowWatchOptions<State>): RowWatch<State> {
  const waiting = new Map<string, Set<Waiter<State>>>()
  let looking = false
  // A poll serves many requests, so it runs outside the log context of the request that started it.
  const outside = AsyncLocalStorage.snapshot()

  async function look(): Promise<void> {
    looking = true
    while (waiting.size > 0) {
      await pause(pollMs)
      // If the database is unavailable, no states are returned and requests end at their timeout.
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
