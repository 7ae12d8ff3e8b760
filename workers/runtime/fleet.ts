import { setTimeout as pause } from 'node:timers/promises'
import { OwnershipLostError } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { makeDue } from '#sql/jobs/queue.ts'
import { limitPool } from '#sql/shared-pool.ts'
import { type PoolName, poolSchema, type Tools } from '#tasks/pools.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { agedAfterMs } from '#tasks/queue/fairness.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import { followControls, type Gate } from './controls.ts'
import { FairShare } from './fair-share.ts'
import { observePools } from './gauges.ts'
import { startTaskStatistics } from './history.ts'
import { abortAll, abortOverdue, interrupt } from './interrupts.ts'
import { type Liveness, openLiveness } from './liveness.ts'
import { sweep, sweepAtStart, sweepFailed } from './lost-workers.ts'
import { type PoolSettings, type PoolWorker, startPool } from './pool.ts'
import type { PoolContext } from './pool-context.ts'
import { getConnectionShare, QueueConnections } from './queue-connections.ts'
import { ShuttingDownError } from './settle.ts'
import { SlotShares } from './slot-shares.ts'

export interface PoolPlan<P extends PoolName = PoolName> {
  pool: P
  /** Worker ID in `jobs.workers`. Generated if the pool’s tools reserve nothing. */
  workerId?: string
  settings: PoolSettings
  tasks: AnyTask[]
  tools: Tools[P]
}

export interface FleetSettings {
  lease: number
  sweep: number
  /** Grace period for running jobs after SIGTERM. After it, they return to the queue. */
  grace: number
  /** Timeout after which a job fails if no host can run it. Default: a day. */
  hostFault?: number
  /** Minimum time that a job must be due before it can be aged. */
  agedAfter?: number
}

export interface Fleet {
  /**
   * Drains: stops fetching, lets jobs finish within the grace period, returns the others to the queue and signs off.
   * `handOver` releases the resources of tools. It is called when no job is running and the workers still own the
   * resources.
   */
  stop(handOver?: () => Promise<void>): Promise<void>
}

/** Maximum numbers of connections of a process: for its tasks, and for fetching and completing jobs. */
const mostOfTasks = 16
const mostOfQueues = 16

const overdueMs = 250
const interruptMs = 1_000
const dayMs = 24 * 60 * 60_000

/**
 * Starts the workers of pools. `onLost` is called once if the process must exit because it no longer owns its jobs. If
 * a worker cannot start, or is lost during the start, everything is closed.
 */
export async function startFleet(
  databaseUrl: string,
  plans: PoolPlan[],
  settings: FleetSettings,
  onLost: (why: string) => void,
): Promise<Fleet> {
  await using undo = new AsyncDisposableStack()
  const unlessStarted = (end: () => unknown) =>
    undo.defer(() =>
      Promise.resolve()
        .then(end)
        .then(() => {}, quietly),
    )
  const contexts: PoolContext[] = []
  let lost: string | undefined
  // A fetch that is in progress when the fleet stops can return jobs after the running jobs were aborted.
  let stopping = false
  // Draining can take a long time, and the lease can be lost while draining.
  const lose = (why: string) => {
    if (lost !== undefined) return
    lost = why
    abortAll(contexts, new OwnershipLostError(why))
    onLost(why)
  }

  const names = plans.map(({ pool }) => pool)
  const slots = plans.reduce((sum, plan) => sum + Math.min(plan.settings.concurrency, 8), 0)
  // The open transaction of a frozen worker locks the rows of its runs, so a worker that takes over its jobs would
  // wait.
  const db = await openPool(databaseUrl, Math.min(4 + slots, mostOfTasks), settings.lease)
  unlessStarted(() => db.end())
  const connections = new QueueConnections(databaseUrl, names, Math.min(2 + slots, mostOfQueues))
  unlessStarted(() => connections.end())
  const liveness: Liveness = await openLiveness(databaseUrl, settings.lease, {
    lost: lose,
    fenced: () =>
      void recover(contexts, connections, liveness).catch((error: Error) =>
        lose(`cannot continue after a stall: ${error.message}`),
      ),
  })
  unlessStarted(() => liveness.leave())
  connections.guardBy(liveness.holds)
  const history = startTaskStatistics(db)
  unlessStarted(() => history.stop())
  const backlogs = new BacklogSync(db)
  unlessStarted(() => backlogs.stop())
  const controls = await followControls(db, names)
  unlessStarted(() => controls.stop())
  // Before the first fetch, jobs of dead workers are released, so that they run in the order of their priority.
  await sweepAtStart(db).catch(sweepFailed)
  const started: PoolWorker[] = []
  unlessStarted(() => {
    stopping = true
    return breakOff(started, contexts, connections)
  })
  const share = getConnectionShare(Math.min(4 + slots, mostOfTasks), plans.length)
  for (const plan of plans) {
    const gate = controls.gateOf(plan.pool)
    const isShut = () => stopping || gate.shut
    const queue = connections.poolOf(plan.pool, isShut)
    const context: PoolContext = {
      pool: plan.pool,
      db: limitPool(db, share),
      tools: plan.tools,
      lockedBy: '',
      gate,
      isShut,
      hostFaultMs: settings.hostFault ?? dayMs,
      mayWork: liveness.holds,
      isStale: (job) => queue.isStale(job),
      running: new Set(),
      turns: new FairShare(plan.pool, backlogs),
      shares: sharesOf(plan, db),
      history,
    }
    contexts.push(context)
    const register = (lockedBy: string) => registerWorker(liveness, plan, gate, lockedBy)
    const { tasks, settings: poolSettings } = plan
    started.push(
      await startPool({ connections, queue, settings: poolSettings, tasks, context, register, onDeath: lose }),
    )
  }
  if (lost !== undefined) throw new OwnershipLostError(lost)
  undo.move()

  const upkeep = startUpkeep(db, contexts, plans, settings)
  return {
    async stop(handOver = async () => {}) {
      if (lost !== undefined || stopping) return
      stopping = true
      const handBack = setTimeout(
        () => abortAll(contexts, new ShuttingDownError('the worker is shutting down')),
        settings.grace,
      )
      await Promise.all(started.map((worker) => worker.stop()))
      await connections.end()
      clearTimeout(handBack)
      await Promise.all([upkeep, controls, history, backlogs].map((each) => each.stop()))
      await handOver().finally(() => liveness.leave())
      await db.end()
    },
  }
}

async function registerWorker(liveness: Liveness, plan: PoolPlan, gate: Gate, lockedBy: string): Promise<void> {
  const { pool, workerId: id = newId(), settings } = plan
  await liveness.register({ id, pool, lockedBy, concurrency: settings.concurrency, scratch: scratchOf(plan) })
  gate.lockedBy = lockedBy
}

/** Starts the gauges and the periodic work: timeouts, cancellations, lost workers and ageing. */
function startUpkeep(
  db: DatabasePool,
  contexts: PoolContext[],
  plans: PoolPlan[],
  { sweep: sweepMs, agedAfter = agedAfterMs }: FleetSettings,
): { stop(): Promise<void> } {
  const unobserve = observePools(() =>
    contexts.map((context, i) => ({ ...context, slots: plans[i]?.settings.concurrency ?? 0 })),
  )
  const overdue = setInterval(() => abortOverdue(contexts), overdueMs)
  const timers = [
    runEvery(interruptMs, () => interrupt(db, contexts), quietly),
    runEvery(sweepMs, () => sweep(db), sweepFailed),
    ...contexts.map(({ db, turns }) => runEvery(sweepMs, () => turns.age(db, agedAfter), quietly)),
  ]
  return {
    async stop() {
      clearInterval(overdue)
      await Promise.all(timers.map((timer) => timer.stop()))
      unobserve()
    },
  }
}

async function recover(contexts: PoolContext[], connections: QueueConnections, liveness: Liveness): Promise<void> {
  log.error('the event loop stalled for longer than the lease: other workers can take the jobs of this process')
  connections.disown()
  abortAll(contexts, new OwnershipLostError('the event loop stalled'))
  while (contexts.some(({ running }) => running.size > 0)) await pause(100)
  await liveness.resume()
  log.warn('working again after a stall')
}

const breakOffMs = 2_000

/** Stops the workers of a fleet that could not start. When they sign off, the remaining jobs are released. */
async function breakOff(started: PoolWorker[], contexts: PoolContext[], connections: QueueConnections): Promise<void> {
  abortAll(contexts, new ShuttingDownError('the worker could not be started'))
  const stopped = Promise.allSettled(started.map((worker) => worker.stop()))
  await Promise.race([stopped, pause(breakOffMs, undefined, { ref: false })])
  await connections.end()
  await stopped
}

function sharesOf({ pool, settings: { share, concurrency } }: PoolPlan, db: DatabasePool): SlotShares | undefined {
  if (!share) return undefined
  const schema = poolSchema(pool)
  const call = (ids: readonly number[], count: number) => makeDue(db, { pool, schema }, ids, count)
  return new SlotShares({ pool, slots: concurrency, share, makeDue: call })
}

const scratchOf = ({ tools }: PoolPlan) =>
  'scratch' in tools && 'capacity' in tools.scratch ? tools.scratch.capacity : undefined

const quietly = (error: Error) => log.debug({ err: error.message }, 'periodic queue maintenance failed')
