import type { z } from 'zod'
import { Problem, unavailable } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Listener } from '#sql/listen.ts'
import { cancel, type EnqueueOptions, enqueueQuestion } from './enqueue.ts'
import type { PoolName } from './pools.ts'
import type { Task } from './task.ts'

/** The channel on which ended runs that somebody waits for are named. */
export const answersChannel = 'jobs_answers'

/** How often a waiting question checks its run unasked, in case a notification was lost with its connection. */
const checkMs = 2_000

/**
 * Asks a worker and waits for its answer: enqueues a tracked task and returns what its `run` returned. What it threw for
 * good becomes 502, no answer within `timeout` milliseconds 504 (the run is cancelled then).
 */
export async function ask<P extends z.ZodType, N extends PoolName, A>(
  db: DatabasePool,
  listener: Listener,
  task: Task<P, N, A>,
  payload: z.input<P>,
  options: EnqueueOptions & { timeout: number },
): Promise<A> {
  const { timeout, ...rest } = options
  const id = await db.transaction((tx) => enqueueQuestion(tx, task, payload, rest))
  const run = await ended(db, listener, id, timeout)
  if (run === null) {
    await cancel(db, id)
    throw new Problem(504, 'server_error', `No answer within ${Math.ceil(timeout / 1000)} s.`, { retryAfter: 2 })
  }
  if (run.state !== 'done') throw new Problem(502, 'upstream_error', 'The work behind this request failed.')
  return run.result as A
}

/** The run once it has ended, or null after `timeout` milliseconds. */
async function ended(db: DatabasePool, listener: Listener, id: string, timeout: number): Promise<runs.Run | null> {
  const { promise, resolve, reject } = Promise.withResolvers<runs.Run | null>()
  const check = async () => {
    const run = await runs.find(db, id)
    if (run === null || run.finished_at !== null) resolve(run)
  }
  const failed = () => reject(unavailable('The database is away.'))
  const checkNow = () => void check().catch(failed)
  const stop = [
    listener.on(answersChannel, (ended) => {
      if (ended === id) checkNow()
    }),
    listener.onReconnect(checkNow),
  ]
  const again = every(checkMs, check, failed)
  const late = setTimeout(() => resolve(null), timeout)
  checkNow()
  try {
    return await promise
  } finally {
    void again.stop()
    clearTimeout(late)
    for (const off of stop) off()
  }
}
