import { EventEmitter } from 'node:events'
import { type CronItem, Logger, parseCronItems, type Runner, run, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import { log } from '#lib/log.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { PoolContext } from './pool-context.ts'
import type { QueueConnections } from './queue-connections.ts'
import type { QueuePool } from './queue-pool.ts'
import { pollMs } from './shared-idle.ts'
import type { SlotShare } from './slot-shares.ts'
import { taskList } from './task-list.ts'

export interface PoolSettings {
  concurrency: number
  fetchAhead: number
  share?: SlotShare | undefined
}

export interface PoolWorker {
  /** Stops fetching. Resolves when all running jobs have ended and jobs fetched in advance are back in the queue. */
  stop(): Promise<void>
}

/**
 * Number of seconds without a query after which the queue library counts as blocked, while it has free slots. Only
 * seconds with a running event loop count, because a process without processor time also blocks the library.
 */
const mostSilence = 20

/** Delay in milliseconds after which a fetch without a response is logged. */
const slowMs = 5_000

/**
 * Starts fetching and running a pool’s jobs. Before the first fetch, awaits `register` with the name under which jobs
 * are locked. Calls `onDeath` if the queue library stops or is no longer responding.
 */
export async function startPool(
  connections: QueueConnections,
  pg: QueuePool,
  settings: PoolSettings,
  tasks: AnyTask[],
  context: PoolContext,
  register: (lockedBy: string) => Promise<void>,
  onDeath: (why: string) => void,
): Promise<PoolWorker> {
  const events: WorkerEvents = new EventEmitter()
  let stopping = false
  // During registration, no queries are expected. The liveness session detects a slow Postgres.
  let registering = false

  const registered = Promise.withResolvers<string>()
  registered.promise.catch((error: Error) => onDeath(`could not register: ${error.message}`))
  const hold = () => pg.holdUntil(registered.promise)
  events.on('localQueue:init', hold)
  events.on('pool:create', ({ workerPool }) => {
    hold()
    context.lockedBy = workerPool.id
    connections.admit(workerPool.id)
    registering = true
    register(workerPool.id).then(() => registered.resolve(workerPool.id), registered.reject)
    registered.promise.then(
      () => {
        registering = false
      },
      () => {},
    )
  })

  let silence = 0
  const answered = () => {
    silence = 0
  }
  events.on('worker:getJob:empty', answered)
  events.on('job:start', answered)
  events.on('localQueue:getJobs:complete', answered)
  let isSlow = false
  const watching = setInterval(() => {
    const { waitedMs } = pg
    // The liveness session detects an unavailable Postgres. A locked table of this pool is not a reason to exit.
    silence += 1
    if (registering || context.running.size >= settings.concurrency || waitedMs > 0) answered()
    if (silence > mostSilence)
      onDeath(`the queue library of the ${context.pool} pool has not sent a query for ${mostSilence} s`)
    if (isSlow === waitedMs > slowMs) return
    isSlow = !isSlow
    log.warn(
      { pool: context.pool },
      isSlow ? 'the queue is not responding: its table is locked or slow' : 'the queue is responding again',
    )
  }, 1_000)
  // After a database restart, the library can shut its pool down without ever settling runner.promise.
  events.on('pool:gracefulShutdown', () => !stopping && onDeath('the queue library shut itself down'))
  events.on('pool:fatalError', ({ error }) => onDeath(`the queue library failed: ${String(error)}`))

  let runner: Runner | undefined
  const stop = async () => {
    stopping = true
    clearInterval(watching)
    context.shares?.close()
    await runner?.stop()
  }
  try {
    runner = await run({
      // From a pool, the library uses only `connect`, the events and `options.max`.
      pgPool: pg as unknown as Pool,
      schema: poolSchema(context.pool),
      taskList: taskList(tasks, context),
      parsedCronItems: parseCronItems(tasks.flatMap(byTheClock)),
      events,
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => relay(context.pool, level, message)),
      preset: {
        worker: {
          concurrentJobs: settings.concurrency,
          pollInterval: pollMs,
          // 0 instead of the default -1: with -1, SIGTERM loses the last completion (24 of 24 runs).
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          ...(settings.fetchAhead && { localQueue: { size: settings.fetchAhead, ttl: 30_000 } }),
        },
      },
    })
    runner.promise.then(
      () => !stopping && onDeath('the queue library ended'),
      (error: Error) => !stopping && onDeath(`the queue library ended: ${error.message}`),
    )
    await registered.promise
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
  return { stop }
}

/** Returns the schedule of a task. No second job is added while one is waiting, for example in a paused pool. */
function byTheClock({ name, cron, attempts }: AnyTask): CronItem[] {
  if (!cron) return []
  return [{ task: name, match: cron, options: { maxAttempts: attempts, jobKey: name, jobKeyMode: 'preserve_run_at' } }]
}

/** Logs a line of the library. A failed job is logged with its stack. Other lines are logged at level debug. */
function relay(pool: string, level: string, message: string): void {
  if (level === 'error') log.warn({ pool }, message.split('\n')[0])
  else log.debug(message)
}
