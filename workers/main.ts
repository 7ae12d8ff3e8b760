import { parseArgs } from 'node:util'
import { config, requireVariable } from '#lib/config.ts'
import { finishLoading } from '#lib/loaded.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage/storage.ts'
import { logCopyConditionSupport } from '#lib/storage/tell-conditions.ts'
import { startMetricsServer } from '#lib/telemetry/metrics-server.ts'
import { startTracing, tracing } from '#lib/telemetry/tracing.ts'
import { isDisconnected, openPoolOnceUp } from '#sql/db.ts'
import { checkQueues } from '#sql/jobs/graphile-schema.ts'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { type PoolName, poolNames, queues } from '#tasks/pools.ts'
import { observeQueues } from '#tasks/queue/gauges.ts'
import { closeAll, closeTogether } from './closing.ts'
import { describeLateStart, startLate } from './late-pools.ts'
import { createPoolPlan, loadDeclaration } from './pools.ts'
import { type PoolPlan, startFleet } from './runtime/fleet.ts'
import { showEngines } from './runtime/gauges.ts'

/**
 * Runs as `node workers/main.ts --pools core,media`. Processes jobs of these pools until SIGTERM, or until the process
 * must exit.
 */
const names = readPools()
await Promise.all(names.map((pool) => loadDeclaration<PoolName>(pool)))
await finishLoading()
const url = requireVariable('DATABASE_URL')
const db = await openPoolOnceUp(url, 6)
await retryUntilConnected(() => checkQueues(db, queues))
await startTracing()
const storage = openStorage()
observeQueues(db)
const off: Record<string, string> = {}
const metrics = await startMetricsServer(() => off)

const ends = new AsyncDisposableStack()
const plans: PoolPlan[] = []
const late: PoolName[] = []
for (const pool of names) {
  const declaration = await loadDeclaration<PoolName>(pool)
  const lack = await declaration.lacks()
  if (lack) {
    off[pool] = `pool ${pool} is off here, its jobs wait: ${lack}`
    log.error(off[pool])
    continue
  }
  try {
    plans.push(await planWith(pool, ends))
  } catch (error) {
    // Without Postgres, no pool works. The supervisor restarts the process.
    if (isDisconnected(error)) throw error
    late.push(pool)
    off[pool] = describeLateStart(pool, error)
    log.error(off[pool])
  }
}
if (plans.length === 0) process.exit(1)
const settings = {
  lease: config.LEASE_MS,
  sweep: config.SWEEP_MS,
  grace: config.SHUTDOWN_GRACE_MS,
  // Time until a job fails that no host can run because of lack of space or a storage failure.
  hostFault: 24 * 60 * 60_000,
}
const fleet = await startFleet(url, plans, settings, lose)
const latePools = startLate(late, off, {
  lose,
  async start(pool, onLost) {
    const ends = new AsyncDisposableStack()
    const plan = await planWith(pool, ends)
    try {
      return { ends, fleet: await startFleet(url, [plan], settings, onLost) }
    } catch (error) {
      await ends.disposeAsync()
      throw error
    }
  },
})
// Printed regardless of the log level, because the supervisor waits for this line.
process.stdout.write(`workers ready: ${plans.map(({ pool }) => pool).join(', ')}\n`)
void logCopyConditionSupport(storage)

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'draining')
    void closeAll([
      // All fleets stop within the same grace period. Otherwise one fleet would fetch jobs while another drains.
      ['the fleets', () => closeTogether([() => fleet.stop(() => ends.disposeAsync()), () => latePools.stop()])],
      ['pool resources', () => ends.disposeAsync()],
      ['metrics', () => metrics?.close()],
      ['traces', () => tracing()?.stop()],
      ['the database', () => db.end()],
    ]).then((failed) => process.exit(failed.length === 0 ? 0 : 1))
  })
}

function readPools(): PoolName[] {
  const { values } = parseArgs({ options: { pools: { type: 'string' } } })
  const asked = values.pools?.split(',') ?? poolNames
  const unknown = asked.filter((name) => !poolNames.includes(name as PoolName))
  if (unknown.length) throw new Error(`--pools: unknown pool: ${unknown.join(', ')}. Pools: ${poolNames.join(', ')}`)
  return asked as PoolName[]
}

async function planWith(pool: PoolName, ends: AsyncDisposableStack): Promise<PoolPlan> {
  const plan = await createPoolPlan(pool, { db, storage, ends })
  showEngines((await loadDeclaration<PoolName>(pool)).engines ?? [])
  return plan
}

function lose(why: string): void {
  log.fatal({ why }, 'this worker must exit; its supervisor restarts it')
  // Gives the signals time to stop the engines. State can no longer be written.
  setTimeout(() => process.exit(1), 300)
}
