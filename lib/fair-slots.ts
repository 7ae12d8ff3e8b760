import { NoSlot } from './slots.ts'

/** One owner has as many in line already as it may have; others still find a place. */
export class NoShare extends NoSlot {
  override name = 'NoShare'
}

/** How many slots there are, and what one owner may have of them. */
export interface FairLimits {
  slots: number
  /** Slots that one owner has at the same time at most. */
  slotsOfOne: number
  /** How many wait in the lines of all owners together, and in the line of one. */
  waiting?: number
  waitingOfOne?: number
}

/** Slots that owners share: each has a line of its own, and the lines take turns. */
export interface FairSlots {
  /** Takes a slot if there is one for the owner now; undefined otherwise. */
  tryTake(owner: string): Disposable | undefined
  /** True if an owner has as many slots as one may have. */
  hasWholeShare(owner: string): boolean
  /** Takes a slot until it is disposed of; rejects with `NoShare` or `NoSlot`, or with the signal's reason. */
  take(owner: string, signal?: AbortSignal): Promise<Disposable>
}

interface Line {
  taken: number
  waiting: Set<() => void>
}

/** Makes slots that no owner can take all of, or keep others waiting for longer than one turn. */
export function createFairSlots(limits: FairLimits): FairSlots {
  const { slots, slotsOfOne, waiting = Number.POSITIVE_INFINITY, waitingOfOne = Number.POSITIVE_INFINITY } = limits
  // In the order of their turns: whoever had one goes to the end.
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

  function tryTake(owner: string): Disposable | undefined {
    const line = lines.get(owner) ?? { taken: 0, waiting: new Set() }
    if (taken >= slots || line.taken >= slotsOfOne) return undefined
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
      if (line.waiting.size >= waitingOfOne) throw new NoShare('Too much of this owner waits already.')
      if (inLine >= waiting) throw new NoSlot('Too much waits already.')
      lines.set(owner, line)
      await wait(owner, line, signal)
      return held(owner, line)
    },
  }
}
