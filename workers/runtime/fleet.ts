import { setTimeout as pause } from 'node:timers/promises'
import { Cancelled, OwnershipLost } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import * as workers from '#sql/jobs/workers.ts'
import { shareOfPool } from '#sql/shared-pool.ts'
import type { PoolName, Tools } from '#tasks/pools.ts'
import { BacklogSync } from '#tasks/queue/backlog-sync.ts'
import { agedAfterMs } from '#tasks/queue/fairness.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import { followControls } from './controls.ts'
import { FairShare } from './fair-share.ts'
import { noteLoss, observePools } from './gauges.ts'
import { startHistory } from './history.ts'
import { type Liveness, openLiveness } from './liveness.ts'
import { type PoolSettings, type PoolWorker, startPool } from './pool.ts'
import type { PoolContext } from './pool-context.ts'
import { QueueConnections, shareOf } from './queue-connections.ts'
import { ShuttingDown } from './settle.ts'

/** One pool as this process is to run it. */
export interface PoolPlan<P extends PoolName = PoolName> {
  pool: P
  /** Its worker's id in `jobs.workers`; made up where its tools take nothing for themselves. */
  workerId?: string
  settings: PoolSettings
  tasks: AnyTask[]
  tools: Tools[P]
}

/** The numbers by which a worker process lives, in milliseconds. */
export interface FleetSettings {
  lease: number
  sweep: number
  /** How long running jobs may go on after SIGTERM before they return to the queue. */
  grace: number
  /** How long no host may be able to do a job before it is given up; a day by default. */
  hostFault?: number
  /** How long a job is due before it may be aged. */
  agedAfter?: number
}

/** This process's workers. */
export interface Fleet {
  /**
   * Drains: fetches no more, lets jobs finish within the grace period, hands the rest back, signs off. `handOver` gives up what tools
   * have taken for themselves: it is called when no job runs any more, and all of that is still the workers' own.
   */
  stop(handOver?: () => Promise<void>): Promise<void>
}

/** Connections of a process at most: those that its tasks use, and those that its queue workers fetch and complete jobs with. */
const mostOfTasks = 16
const mostOfQueues = 16

/** How often attempts are checked for their deadlines, and for cancels and lost runs. */
const overdueMs = 250
const interruptMs = 1_000
const dayMs = 24 * 60 * 60_000

/** Starts the workers of some pools; `onLost` is called once, when the process must end because its jobs are not its own. */
export async function startFleet(
  databaseUrl: string,
  plans: PoolPlan[],
  settings: FleetSettings,
  onLost: (why: string) => void,
): Promise<Fleet> {
  const contexts: PoolContext[] = []
  let lost = false
  let stopping = false
  // Draining can last, and the lease be lost meanwhile.
  const lose = (why: string) => {
    if (lost) return
    lost = true
    abortAll(contexts, new OwnershipLost(why))
    onLost(why)
  }

  const slots = plans.reduce((sum, plan) => sum + Math.min(plan.settings.concurrency, 8), 0)
  // The open transaction of a frozen worker holds its runs' rows, for which whoever takes its jobs over would wait.
  const db = await openPool(databaseUrl, Math.min(4 + slots, mostOfTasks), settings.lease)
  const liveness: Liveness = await openLiveness(databaseUrl, settings.lease, {
    lost: lose,
    fenced: () =>
      void recover(contexts, connections, liveness).catch((error: Error) =>
        lose(`cannot go on after a stall: ${error.message}`),
      ),
  })
  const history = startHistory(db)
  const backlogs = new BacklogSync(db)
  const controls = await followControls(
    db,
    plans.map(({ pool }) => pool),
  )
  // Before the first fetch: of what a dead worker had locked, the most urgent comes before what waited behind it.
  await sweepAtStart(db).catch(quietly)
  const connections = new QueueConnections(
    databaseUrl,
    plans.map(({ pool }) => pool),
    Math.min(2 + slots, mostOfQueues),
  )
  connections.guardBy(liveness.holds)
  const share = shareOf(Math.min(4 + slots, mostOfTasks), plans.length)
  const started: PoolWorker[] = []
  for (const plan of plans) {
    const gate = controls.gateOf(plan.pool)
    const queue = connections.poolOf(plan.pool, () => gate.shut)
    const context: PoolContext = {
      pool: plan.pool,
      db: shareOfPool(db, share),
      tools: plan.tools,
      lockedBy: '',
      gate,
      hostFaultMs: settings.hostFault ?? dayMs,
      mayWork: liveness.holds,
      isStale: (job) => queue.isStale(job),
      running: new Set(),
      turns: new FairShare(plan.pool, backlogs),
      history,
    }
    contexts.push(context)
    const register = async (lockedBy: string) => {
      const { pool, workerId: id = newId() } = plan
      await liveness.register({ id, pool, lockedBy, concurrency: plan.settings.concurrency, scratch: scratchOf(plan) })
      gate.lockedBy = lockedBy
    }
    started.push(await startPool(connections, queue, plan.settings, plan.tasks, context, register, lose))
  }

  const unobserve = observePools(() =>
    contexts.map((context, i) => ({ ...context, slots: plans[i]?.settings.concurrency ?? 0 })),
  )
  const overdue = setInterval(() => abortOverdue(contexts), overdueMs)
  const timers = [
    every(interruptMs, () => interrupt(db, contexts), quietly),
    every(settings.sweep, () => sweep(db), quietly),
    ...contexts.map(({ db, turns }) =>
      every(settings.sweep, () => turns.age(db, settings.agedAfter ?? agedAfterMs), quietly),
    ),
  ]

  return {
    async stop(handOver = async () => {}) {
      if (lost || stopping) return
      stopping = true
      const handBack = setTimeout(
        () => abortAll(contexts, new ShuttingDown('the worker is shutting down')),
        settings.grace,
      )
      await Promise.all(started.map((worker) => worker.stop()))
      await connections.end()
      clearTimeout(handBack)
      clearInterval(overdue)
      await Promise.all([...timers, controls, history, backlogs].map((each) => each.stop()))
      unobserve()
      await handOver().finally(() => liveness.leave())
      await db.end()
    },
  }
}

/** Gives up what was open to others while the event loop stalled, and takes part again. */
async function recover(contexts: PoolContext[], connections: QueueConnections, liveness: Liveness): Promise<void> {
  log.error('the event loop had stalled for longer than the lease: what this process held is open to others')
  connections.disown()
  abortAll(contexts, new OwnershipLost('the event loop stalled'))
  while (contexts.some(({ running }) => running.size > 0)) await pause(100)
  await liveness.resume()
  log.warn('takes part again after a stall')
}

/** How much a worker can keep on its scratch disk; undefined for one that keeps no copies. */
const scratchOf = ({ tools }: PoolPlan) =>
  'scratch' in tools && 'capacity' in tools.scratch ? tools.scratch.capacity : undefined

const quietly = (error: Error) => log.debug({ err: error.message }, 'periodic work on the queue failed')

function abortAll(contexts: PoolContext[], reason: Error): void {
  for (const context of contexts) for (const attempt of context.running) attempt.abort(reason)
}

function abortOverdue(contexts: PoolContext[]): void {
  const now = performance.now()
  for (const context of contexts) {
    for (const attempt of context.running) if (now > attempt.deadline) attempt.abort(new Error('timed out'))
  }
}

/** Aborts the tracked attempts that somebody cancelled or that another worker has taken over. */
async function interrupt(db: DatabasePool, contexts: PoolContext[]): Promise<void> {
  const tracked = contexts.flatMap((context) =>
    [...context.running].filter((attempt) => attempt.owned && !attempt.reason),
  )
  if (tracked.length === 0) return
  const owned = tracked.map((attempt) => ({ id: attempt.runId as string, token: attempt.token as string }))
  const interrupted = new Map((await runs.listInterrupted(db, owned)).map((run) => [run.id, run.lost]))
  for (const attempt of tracked) {
    const lost = interrupted.get(attempt.runId as string)
    if (lost === undefined || !stillRuns(contexts, attempt)) continue
    attempt.abort(lost ? new OwnershipLost('another attempt runs this job') : new Cancelled('cancelled'))
  }
}

const stillRuns = (contexts: PoolContext[], attempt: PoolContext['running'] extends Set<infer A> ? A : never) =>
  contexts.some((context) => context.running.has(attempt))

/** Milliseconds after which a second sweep believes what the first one saw. */
const believedMs = 300

async function sweepAtStart(db: DatabasePool): Promise<void> {
  await sweep(db)
  if (!(await workers.isAnyMissed(db))) return
  await pause(believedMs)
  await sweep(db)
}

async function sweep(db: DatabasePool): Promise<void> {
  for (let loss = await workers.sweep(db); loss; loss = await workers.sweep(db)) {
    const { pool_name: pool, lost_worker: worker, released, reason } = loss
    log.warn({ pool, worker, released, reason }, 'jobs of a lost worker wait again')
    noteLoss(loss)
  }
}
