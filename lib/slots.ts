/** As many wait for a slot already as may. */
export class NoSlot extends Error {
  override name = 'NoSlot'
}

/** A number of slots for work of one kind; who finds none waits in line. */
export interface Slots {
  /** Takes a slot until it is disposed of; rejects with `NoSlot`, or with the signal's reason. */
  take(signal?: AbortSignal): Promise<Disposable>
}

/** Makes `count` slots, for which `waiting` wait at most. */
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
      else if (line.size >= waiting) throw new NoSlot('Too much waits already.')
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

/** Resolves when a slot is passed on to who waits; one who gives up leaves the line. */
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
