export class NoSlotError extends Error {
  override name = 'NoSlotError'
}

export class ShareUsedUpError extends NoSlotError {
  override name = 'ShareUsedUpError'
}

export interface FairLimits {
  slots: number
  slotsOfOne: number
  waiting?: number
  waitingOfOne?: number
}

/** A set of slots that several owners share. Each owner has a queue, and the queues take turns. */
export interface FairSlots {
  /** Takes a slot if one is free and the owner has less than its share, or less than `mostOwn`. */
  tryTake(owner: string, mostOwn?: number): Disposable | undefined
  hasWholeShare(owner: string): boolean
  /**
   * Waits for a slot. Dispose of the result to release the slot. Rejects with `ShareUsedUpError`, `NoSlotError` or the
   * signal’s reason.
   */
  take(owner: string, signal?: AbortSignal): Promise<Disposable>
}

interface Line {
  taken: number
  waiting: Set<() => void>
}

export function createFairSlots(limits: FairLimits): FairSlots {
  const { slots, slotsOfOne, waiting = Number.POSITIVE_INFINITY, waitingOfOne = Number.POSITIVE_INFINITY } = limits
  const lines = new Map<string, Line>()
  let taken = 0
  let inLine = 0

  function start(owner: string, line: Line): void {
    taken++
    line.taken++
    lines.delete(owner)
    lines.set(owner, line)
  }

  function free(owner: string, line: Line): void {
    taken--
    line.taken--
    if (line.taken === 0 && line.waiting.size === 0) lines.delete(owner)
    startNext()
  }

  function startNext(): void {
    if (taken >= slots || inLine === 0) return
    for (const [owner, line] of lines) {
      const [next] = line.waiting
      if (!next || line.taken >= slotsOfOne) continue
      start(owner, line)
      next()
      return
    }
  }

  function wait(owner: string, line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (then: () => void) => {
      signal?.removeEventListener('abort', giveUp)
      line.waiting.delete(come)
      inLine--
      then()
    }
    const come = () => leave(resolve)
    const giveUp = () => {
      leave(() => reject(signal?.reason))
      if (line.taken === 0 && line.waiting.size === 0) lines.delete(owner)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    line.waiting.add(come)
    inLine++
    return promise
  }

  function held(owner: string, line: Line): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (isTaken) free(owner, line)
        isTaken = false
      },
    }
  }

  function tryTake(owner: string, mostOwn = slotsOfOne): Disposable | undefined {
    const line = lines.get(owner) ?? { taken: 0, waiting: new Set() }
    if (taken >= slots || line.taken >= Math.min(mostOwn, slotsOfOne)) return undefined
    start(owner, line)
    return held(owner, line)
  }

  return {
    tryTake,
    hasWholeShare: (owner) => (lines.get(owner)?.taken ?? 0) >= slotsOfOne,
    async take(owner, signal) {
      signal?.throwIfAborted()
      const free = tryTake(owner)
      if (free) return free
      const line = lines.get(owner) ?? { taken: 0, waiting: new Set() }
      if (line.waiting.size >= waitingOfOne) throw new ShareUsedUpError('Too many calls of this owner are waiting.')
      if (inLine >= waiting) throw new NoSlotError('Too many calls are waiting.')
      lines.set(owner, line)
      await wait(owner, line, signal)
      return held(owner, line)
    },
  }
}

/** A set of slots without owners. */
export interface Slots {
  tryTake(): Disposable | undefined
  /** Waits for a slot. Dispose of the result to release the slot. Rejects with `NoSlotError` or the signal’s reason. */
  take(signal?: AbortSignal): Promise<Disposable>
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Up to `waiting` callers wait, in order. Without owners, a slot takes a third of the time of `createFairSlots`. */
export function createSlots(count: number, waiting = Number.POSITIVE_INFINITY): Slots {
  const line = new Set<() => void>()
  let taken = 0

  function free(): void {
    const [next] = line
    if (!next) {
      taken--
      return
    }
    line.delete(next)
    next()
  }

  async function enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (taken < count) {
      taken++
      return
    }
    if (line.size >= waiting) throw new NoSlotError('Too many calls are waiting.')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      line.delete(resolve)
      reject(signal?.reason)
    }
    line.add(resolve)
    signal?.addEventListener('abort', giveUp, { once: true })
    await promise
    signal?.removeEventListener('abort', giveUp)
  }

  function held(): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (isTaken) free()
        isTaken = false
      },
    }
  }

  return {
    tryTake() {
      if (taken >= count) return undefined
      taken++
      return held()
    },
    async take(signal) {
      await enter(signal)
      return held()
    },
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        free()
      }
    },
  }
}
