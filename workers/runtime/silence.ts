import type { WorkerEvents } from 'graphile-worker'
import { log } from '#lib/log.ts'
import type { PoolParts } from './pool.ts'

/**
 * Number of seconds without a query after which the queue library counts as blocked, while it has free slots. Only
 * seconds with a running event loop count, because a process without processor time also blocks the library.
 */
const mostSilence = 20

/** Delay in milliseconds after which a fetch without a response is logged. */
const slowMs = 5_000

/**
 * Reports a queue library that no longer queries for jobs, and logs a slow queue. During registration, no queries are
 * expected. The liveness session detects an unavailable Postgres.
 */
export function watchSilence(
  events: WorkerEvents,
  { queue, context, settings, onDeath }: Pick<PoolParts, 'queue' | 'context' | 'settings' | 'onDeath'>,
  isRegistering: () => boolean,
): { stop(): void } {
  const { pool, running } = context
  let silence = 0
  let isSlow = false
  const answered = () => {
    silence = 0
  }
  events.on('worker:getJob:empty', answered)
  events.on('job:start', answered)
  events.on('localQueue:getJobs:complete', answered)
  const watching = setInterval(() => {
    const { waitedMs } = queue
    silence += 1
    // A locked table of this pool is not a reason to exit.
    if (isRegistering() || running.size >= settings.concurrency || waitedMs > 0) answered()
    if (silence > mostSilence)
      onDeath(`the queue library of the ${pool} pool has not sent a query for ${mostSilence} s`)
    if (isSlow === waitedMs > slowMs) return
    isSlow = !isSlow
    log.warn(
      { pool },
      isSlow ? 'the queue is not responding: its table is locked or slow' : 'the queue is responding again',
    )
  }, 1_000)
  return { stop: () => clearInterval(watching) }
}
