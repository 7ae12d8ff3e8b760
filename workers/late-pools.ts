import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { PoolName } from '#tasks/pools.ts'
import type { Fleet } from './runtime/fleet.ts'

/** Milliseconds between two tries. */
const againMs = 2_000

/** What a pool's late start comes to: its fleet, and what ends its tools. */
export interface LateFleet {
  fleet: Fleet
  ends: AsyncDisposableStack
}

/** Pools that could not be started with their process: a port was taken, a file could not be read. */
export interface LatePools {
  /** Tries no more, and stops those that were started. */
  stop(): Promise<void>
}

/** Tries again and again to start pools, beside those that run; `start` gives each a fleet of its own. */
export function startLate(
  names: readonly PoolName[],
  off: Record<string, string>,
  start: (pool: PoolName) => Promise<LateFleet>,
): LatePools {
  const waiting = new Set(names)
  const started: LateFleet[] = []
  const tryAll = async () => {
    for (const pool of waiting) {
      try {
        started.push(await start(pool))
        waiting.delete(pool)
        delete off[pool]
        log.info({ pool }, 'a pool that could not be started works now')
      } catch (error) {
        log.debug({ pool, err: describe(error) }, 'a pool cannot be started yet')
      }
    }
  }
  const tries = every(againMs, tryAll, () => {})
  return {
    async stop() {
      waiting.clear()
      await tries.stop()
      await Promise.all(started.map(({ fleet, ends }) => fleet.stop(() => ends.disposeAsync())))
    },
  }
}
