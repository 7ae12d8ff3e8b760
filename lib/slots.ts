export class NoSlotError extends Error {
  override name = 'NoSlotError'
}

export interface Slots {
  /** Waits for a slot. Dispose of the result to release the slot. Rejects with `NoSlotError` or the signal’s reason. */
  take(signal?: AbortSignal): Promise<Disposable>
}

export function createSlots(count: number, waiting = Number.POSITIVE_INFINITY): Slots {
  const line = new Set<() => void>()
  let taken = 0
  const free = () => {
    const [next] = line
    if (next) next()
    else taken--
  }
  return {
    async take(signal) {
      signal?.throwIfAborted()
      if (taken < count) taken++
      else if (line.size >= waiting) throw new NoSlotError('Too many calls are waiting.')
      else await slotIn(line, signal)
      let isTaken = true
      return {
        [Symbol.dispose]() {
          if (isTaken) free()
          isTaken = false
        },
      }
    },
  }
}

function slotIn(line: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = () => {
    line.delete(come)
    reject(signal?.reason)
  }
  const come = () => {
    line.delete(come)
    signal?.removeEventListener('abort', leave)
    resolve()
  }
  signal?.addEventListener('abort', leave, { once: true })
  line.add(come)
  return promise
}
