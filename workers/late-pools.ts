import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { PoolName } from '#tasks/pools.ts'
import { closeTogether } from './closing.ts'
import type { Fleet } from './runtime/fleet.ts'

/** Milliseconds between two tries, and between two reasons that are logged as errors: a reason may be another each time. */
const [againMs, errorMs] = [2_000, 10_000]

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

/** How pools are started late. */
export interface LateStart {
  /** Starts a pool with a fleet of its own, which tells `onLost` when its jobs are not its own any more. */
  start(pool: PoolName, onLost: (why: string) => void): Promise<LateFleet>
  /** Ends the process, as a pool that had started is lost. */
  lose(why: string): void
}

/** What is told of a pool that could not be started. */
export const notYet = (pool: PoolName, error: unknown): string =>
  `pool ${pool} could not be started and is tried again, its jobs wait: ${describe(error)}`

/** Tries again and again to start pools, beside those that run; `off` has the latest reason of each. */
export function startLate(
  names: readonly PoolName[],
  off: Record<string, string>,
  { start, lose }: LateStart,
): LatePools {
  const waiting = new Set(names)
  const started: LateFleet[] = []
  const told = new Map(names.map((pool) => [pool, { reason: off[pool], at: Number.NEGATIVE_INFINITY }]))
  let stopping = false

  const tell = (pool: PoolName, reason: string) => {
    off[pool] = reason
    const { reason: before, at } = told.get(pool) ?? { at: Number.NEGATIVE_INFINITY }
    const now = performance.now()
    if (reason === before || now - at < errorMs) return log.debug({ pool, reason }, 'a pool cannot be started yet')
    told.set(pool, { reason, at: now })
    log.error({ pool }, reason)
  }
  const tryAll = async () => {
    for (const pool of waiting) {
      try {
        const late = await startGuarded(pool, start, lose)
        if (stopping) return await stopLate(late)
        started.push(late)
        waiting.delete(pool)
        delete off[pool]
        log.info({ pool }, 'a pool that could not be started works now')
      } catch (error) {
        tell(pool, notYet(pool, error))
      }
    }
  }
  const tries = every(againMs, tryAll, () => {})
  return {
    async stop() {
      stopping = true
      waiting.clear()
      await closeTogether([() => tries.stop(), ...started.map((late) => () => stopLate(late))])
    },
  }
}

const stopLate = ({ fleet, ends }: LateFleet) => fleet.stop(() => ends.disposeAsync())

/** Starts a pool; a fleet that is lost before it has started fails this try, and not the process. */
async function startGuarded(pool: PoolName, start: LateStart['start'], lose: LateStart['lose']): Promise<LateFleet> {
  let lost: string | undefined
  let onLost = (why: string) => {
    lost = why
  }
  const late = await start(pool, (why) => onLost(why))
  onLost = lose
  if (lost !== undefined) lose(lost)
  return late
}
