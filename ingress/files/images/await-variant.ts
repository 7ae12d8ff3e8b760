import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/files/images/variants.ts'
import { followChannel } from '../../http/follow-channel.ts'

export interface VariantWaits {
  /** Returns the variant when it has ended, or after the time. `null` if it no longer exists. Ends with the client. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<rows.Variant | null>
  close(): Promise<void>
}

/** Waits for variants that workers make, on one connection of this process. */
export function createVariantWaits(db: DatabasePool): VariantWaits {
  const wakers = new Map<string, Set<() => void>>()
  const wakeOne = (id: string) => {
    for (const wake of wakers.get(id) ?? []) wake()
  }
  const wakeAll = () => {
    for (const id of wakers.keys()) wakeOne(id)
  }
  const channel = followChannel(db, rows.variantsChannel, { wakeOne, wakeAll })

  /** Reads the state after the waker is registered, so that no notification is missed. */
  async function readOrWait(id: string, left: number, signal: AbortSignal): Promise<rows.Variant | null | 'again'> {
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = () => resolve()
    const others = wakers.get(id) ?? new Set()
    wakers.set(id, others.add(resolve))
    const timer = setTimeout(resolve, left)
    signal.addEventListener('abort', leave, { once: true })
    try {
      const variant = await rows.findById(db, id)
      if (variant?.state !== 'making' || left === 0) return variant
      await promise
      return 'again'
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      others.delete(resolve)
      if (others.size === 0) wakers.delete(id)
    }
  }

  return {
    async wait(id, ms, signal) {
      channel.open()
      const end = performance.now() + ms
      for (;;) {
        const found = await readOrWait(id, Math.max(0, end - performance.now()), signal)
        if (found !== 'again') return found
      }
    },
    close: () => channel.close(),
  }
}
