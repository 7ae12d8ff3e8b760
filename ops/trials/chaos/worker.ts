/** A worker of all pools with the load's tasks in addition. SIGUSR2 sets its clock an hour ahead, or back. */
import { config, requireVariable } from '#lib/config.ts'
import { log } from '#lib/log.ts'
import { openStorage } from '#lib/storage/storage.ts'
import { startMetricsServer } from '#lib/telemetry/metrics-server.ts'
import { openPoolOnceUp } from '#sql/db.ts'
import { type PoolName, poolNames } from '#tasks/pools.ts'
import type { Envelope } from '#tasks/queue/task.ts'
import { createPoolPlan, loadDeclaration } from '../../../workers/pools.ts'
import { type PoolPlan, startFleet } from '../../../workers/runtime/fleet.ts'
import { giveUp } from '../../../workers/runtime/give-up.ts'
import { shiftClock } from './clock.ts'
import { work } from './work.ts'

const jumpMs = 60 * 60_000
let jumped = false
process.on('SIGUSR2', () => {
  jumped = !jumped
  shiftClock(jumped ? jumpMs : 0)
  log.warn({ jumped }, 'clock changed')
})

await startMetricsServer()
const url = requireVariable('DATABASE_URL')
const db = await openPoolOnceUp(url, 4)
const storage = openStorage()

const plans: PoolPlan[] = []
for (const pool of poolNames) {
  if (await (await loadDeclaration<PoolName>(pool)).lacks()) continue
  const plan = await createPoolPlan(pool, { db, storage, ends: new AsyncDisposableStack() })
  const tasks = [...plan.tasks, ...work.filter((task) => task.pool === pool)]
  const tools = 'giveUp' in plan.tools ? { ...plan.tools, giveUp: ownOr(plan.tools.giveUp) } : plan.tools
  plans.push({ ...plan, tasks, tools })
}
const settings = { lease: config.LEASE_MS, sweep: config.SWEEP_MS, grace: config.SHUTDOWN_GRACE_MS }
const fleet = await startFleet(url, plans, settings, (why) => {
  log.fatal({ why }, 'worker cannot continue and ends')
  setTimeout(() => process.exit(1), 300)
})
process.stdout.write('workers ready\n')
process.on('SIGTERM', () => void fleet.stop().then(() => process.exit(0)))

function ownOr(others: (name: string, envelope: Envelope, error: Error) => Promise<void>) {
  return async (name: string, envelope: Envelope, error: Error) => {
    const own = work.find((task) => task.name === name)
    await (own ? giveUp(own, envelope, error, db) : others(name, envelope, error))
  }
}
