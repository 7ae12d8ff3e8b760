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

export function createSlots(count: number, waiting?: number): Slots {
  const shared = createFairSlots({ slots: count, slotsOfOne: count, ...(waiting !== undefined && { waiting }) })
  return {
    tryTake: () => shared.tryTake(''),
    take: (signal) => shared.take('', signal),
    async run(work) {
      using _slot = await shared.take('')
      return await work()
    },
  }
}
