import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { PoolName } from '#tasks/pools.ts'
import { closeTogether } from './closing.ts'
import type { Fleet } from './runtime/fleet.ts'

/** Delay between attempts and delay between logged errors, in milliseconds. The reason can change each time. */
const [againMs, errorMs] = [2_000, 10_000]

export interface LateFleet {
  fleet: Fleet
  ends: AsyncDisposableStack
}

/** Pools that could not start with their process. For example, a port was in use or a file was not readable. */
export interface LatePools {
  stop(): Promise<void>
}

export interface LateStart {
  /** Starts a pool with a separate fleet. The fleet calls `onLost` when it no longer owns its jobs. */
  start(pool: PoolName, onLost: (why: string) => void): Promise<LateFleet>
  lose(why: string): void
}

export const describeLateStart = (pool: PoolName, error: unknown): string =>
  `pool ${pool} could not be started and will be retried, its jobs wait: ${describe(error)}`

/** Retries starting pools while other pools run. `off` contains the latest reason for each pool that is not running. */
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
    if (reason === before || now - at < errorMs) return log.debug({ pool, reason }, 'could not start a pool; retrying')
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
        log.info({ pool }, 'a pool that could not be started is now running')
      } catch (error) {
        tell(pool, describeLateStart(pool, error))
      }
    }
  }
  const tries = runEvery(againMs, tryAll, () => {})
  return {
    async stop() {
      stopping = true
      waiting.clear()
      await closeTogether([() => tries.stop(), ...started.map((late) => () => stopLate(late))])
    },
  }
}

const stopLate = ({ fleet, ends }: LateFleet) => fleet.stop(() => ends.disposeAsync())

/** Starts a pool. If its fleet is lost during the start, only this attempt fails. */
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
