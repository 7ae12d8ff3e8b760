import { EventEmitter } from 'node:events'
import { type CronItem, Logger, parseCronItems, type Runner, run, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import { log } from '#lib/log.ts'
import { poolSchema } from '#tasks/pools.ts'
import type { AnyTask } from '#tasks/queue/task.ts'
import type { PoolContext } from './pool-context.ts'
import type { QueueConnections } from './queue-connections.ts'
import type { QueuePool } from './queue-pool.ts'
import { taskList } from './run.ts'
import { pollMs } from './shared-idle.ts'
import type { SlotShare } from './slot-shares.ts'

/** How one pool's worker fetches and runs. */
export interface PoolSettings {
  /** Jobs that it runs at once. */
  concurrency: number
  /** Jobs that it fetches ahead in one statement. */
  fetchAhead: number
  /** How organisations share its slots; undefined where they do not. */
  share?: SlotShare | undefined
}

/** One pool's worker in this process. */
export interface PoolWorker {
  /** Stops fetching; resolves when every running job has ended and what was fetched ahead is back in the queue. */
  stop(): Promise<void>
}

/**
 * Seconds for which the queue library may ask for nothing, with slots free, before it counts as wedged. Those count in which the event
 * loop went on: of a process that gets no processor the library has no turn either.
 */
const mostSilence = 20

/** How long a queue may leave a question for jobs unanswered before that is told. */
const slowMs = 5_000

/**
 * Starts fetching and running a pool's jobs. `register` is awaited with the name jobs are locked under before the first
 * fetch; `onDeath` is called when the queue library stops, or stops answering, without having been asked to.
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
  // Nothing may be asked meanwhile; that Postgres is slow then is the liveness session's to see.
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
    // Whether Postgres answers at all is seen by the liveness session: a table of this pool's that is locked is no reason to end.
    silence += 1
    if (registering || context.running.size >= settings.concurrency || waitedMs > 0) answered()
    if (silence > mostSilence) onDeath(`the queue library of pool ${context.pool} has not asked for ${mostSilence} s`)
    if (isSlow === waitedMs > slowMs) return
    isSlow = !isSlow
    log.warn(
      { pool: context.pool },
      isSlow ? 'the queue does not answer: its table is locked, or slow' : 'the queue answers again',
    )
  }, 1_000)
  // After a database restart the library may shut its pool down and leave runner.promise pending for ever.
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
      // Of a pool the library uses `connect`, its events and `options.max`, and nothing else.
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
          // 0, never the default -1: with it SIGTERM loses the last completion (24 of 24 runs).
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

/** When a task runs by itself. While one of its jobs waits, as in a paused pool, the clock adds no second one. */
function byTheClock({ name, cron, attempts }: AnyTask): CronItem[] {
  if (!cron) return []
  return [{ task: name, match: cron, options: { maxAttempts: attempts, jobKey: name, jobKeyMode: 'preserve_run_at' } }]
}

/** The library's own lines: a job's failure is logged with its stack, the rest at level debug only. */
function relay(pool: string, level: string, message: string): void {
  if (level === 'error') log.warn({ pool }, message.split('\n')[0])
  else log.debug(message)
}
