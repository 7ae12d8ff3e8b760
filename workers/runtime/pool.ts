import { EventEmitter } from 'node:events'
import {
  type CronItem,
  Logger,
  parseCronItems,
  type Runner,
  type RunnerOptions,
  run,
  type WorkerEvents,
} from 'graphile-worker'
import type { Pool } from 'pg'
import { log } from '#lib/log.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { PoolContext } from './pool-context.ts'
import type { QueueConnections } from './queue-connections.ts'
import type { QueuePool } from './queue-pool.ts'
import { pollMs } from './shared-idle.ts'
import { watchSilence } from './silence.ts'
import type { SlotShare } from './slot-shares.ts'
import { taskList } from './task-list.ts'

export interface PoolSettings {
  concurrency: number
  fetchAhead: number
  share?: SlotShare | undefined
}

export interface PoolParts {
  connections: QueueConnections
  queue: QueuePool
  settings: PoolSettings
  tasks: AnyTask[]
  context: PoolContext
  /** Registers the worker under the name that locks its jobs. No job is fetched before. */
  register(lockedBy: string): Promise<void>
  /** Called if the queue library stops or is no longer responding. */
  onDeath(why: string): void
}

export interface PoolWorker {
  /** Stops fetching. Resolves when all running jobs have ended and jobs fetched in advance are back in the queue. */
  stop(): Promise<void>
}

/** Starts fetching and running a pool’s jobs. */
export async function startPool(parts: PoolParts): Promise<PoolWorker> {
  const { context, onDeath } = parts
  const events: WorkerEvents = new EventEmitter()
  const registration = registerOnStart(events, parts)
  const watch = watchSilence(events, parts, registration.isPending)
  let stopping = false
  const unlessStopping = (why: string) => !stopping && onDeath(why)
  // After a database restart, the library can shut its pool down without ever settling runner.promise.
  events.on('pool:gracefulShutdown', () => unlessStopping('the queue library shut itself down'))
  events.on('pool:fatalError', ({ error }) => onDeath(`the queue library failed: ${String(error)}`))

  let runner: Runner | undefined
  const stop = async () => {
    stopping = true
    watch.stop()
    context.shares?.close()
    await runner?.stop()
  }
  try {
    runner = await run(getRunnerOptions(parts, events))
    runner.promise.then(
      () => unlessStopping('the queue library ended'),
      (error: Error) => unlessStopping(`the queue library ended: ${error.message}`),
    )
    await registration.done
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
  return { stop }
}

/** Registers the worker when the queue library has chosen its name. Until then, the queue sends no query. */
function registerOnStart(events: WorkerEvents, { connections, queue, context, register, onDeath }: PoolParts) {
  const registered = Promise.withResolvers<string>()
  registered.promise.catch((error: Error) => onDeath(`could not register: ${error.message}`))
  let pending = false
  const hold = () => queue.holdUntil(registered.promise)
  events.on('localQueue:init', hold)
  events.on('pool:create', ({ workerPool }) => {
    hold()
    context.lockedBy = workerPool.id
    connections.admit(workerPool.id)
    pending = true
    register(workerPool.id).then(() => {
      pending = false
      registered.resolve(workerPool.id)
    }, registered.reject)
  })
  return { done: registered.promise, isPending: () => pending }
}

function getRunnerOptions({ queue, settings, tasks, context }: PoolParts, events: WorkerEvents): RunnerOptions {
  return {
    // From a pool, the library uses only `connect`, the events and `options.max`.
    pgPool: queue as unknown as Pool,
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
  }
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
