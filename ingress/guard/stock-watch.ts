import { AsyncLocalStorage } from 'node:async_hooks'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { refillIfLow } from '#tasks/guard/refill.ts'
import { service } from '../http/container.ts'

/** Has the stock refilled as it is used. */
interface StockWatch {
  /** Notes that a puzzle was taken, or that there was none. */
  taken(found: boolean): void
  /** Resolves when it asks the database nothing more. */
  close(): Promise<void>
}

/** Puzzles after which the stock is looked at. */
const lookAfter = 16

/** Milliseconds between two looks at least. */
const pauseMs = 1_000

/** The stock as this process uses it. */
export const stockWatch = service<StockWatch>({
  name: 'guard.stock watch',
  open: ({ db }) => createStockWatch(db),
  close: (watch) => watch.close(),
})

function createStockWatch(db: DatabasePool): StockWatch {
  // It looks for many requests, so outside the log context of the one that set it off.
  const outside = AsyncLocalStorage.snapshot()
  let looking: Promise<void> | undefined
  let [used, lookedAt] = [lookAfter, Number.NEGATIVE_INFINITY]

  async function look(): Promise<void> {
    try {
      await refillIfLow(db)
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read the stock of puzzles')
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
