import { AsyncLocalStorage } from 'node:async_hooks'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { refillIfLow } from '#tasks/guard/refill.ts'
import { service } from '../http/container.ts'

interface StockWatch {
  /** Records that a puzzle was taken, or that the stock was empty. */
  taken(found: boolean): void
  /** Resolves when no more queries are running. */
  close(): Promise<void>
}

/** Number of taken puzzles after which the stock is checked. */
const lookAfter = 16

/** Minimum interval between checks in milliseconds. */
const pauseMs = 1_000

export const stockWatch = service<StockWatch>({
  name: 'guard.stock watch',
  open: ({ db }) => createStockWatch(db),
  close: (watch) => watch.close(),
})

function createStockWatch(db: DatabasePool): StockWatch {
  // A check serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()
  let looking: Promise<void> | undefined
  let [used, lookedAt] = [lookAfter, Number.NEGATIVE_INFINITY]

  async function look(): Promise<void> {
    try {
      await refillIfLow(db)
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read the puzzle stock')
    } finally {
      looking = undefined
    }
  }

  return {
    taken(found) {
      used += found ? 1 : lookAfter
      if (looking || used < lookAfter || performance.now() - lookedAt < pauseMs) return
      used = 0
      lookedAt = performance.now()
      looking = outside(look)
    },
    async close() {
      await looking
    },
  }
}
