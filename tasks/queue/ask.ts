import type { z } from 'zod'
import { Problem, unavailable } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Listener } from '#sql/listen.ts'
import type { PoolName } from '../pools.ts'
import { cancel, type EnqueueOptions, enqueueQuestion } from './enqueue.ts'
import type { Task } from './task.ts'

export const answersChannel = 'jobs_answers'

/**
 * Interval in milliseconds at which a waiting request checks its run. A notification can be lost with its connection.
 */
const checkMs = 2_000

export interface QuestionOptions extends EnqueueOptions {
  timeout: number
  signal?: AbortSignal
  /** If true, the answer is removed from the run’s record after delivery, because it contains a customer’s text. */
  forgotten?: boolean
}

/** Thrown if no worker started the job in time: all workers are busy, or none is running. */
export class NotStartedInTimeError extends Problem {
  constructor(timeout: number) {
    super(504, 'server_error', `No response within ${Math.ceil(timeout / 1000)} s.`, { retryAfter: 2 })
  }
}

/**
 * Adds a tracked job, waits for a worker and returns the result of `run`. A permanent error becomes 502. If no answer
 * arrives within `timeout` milliseconds, the run is cancelled and the request returns 504. An aborted `signal` also
 * cancels the run, and its reason is thrown.
 */
export async function ask<P extends z.ZodType, N extends PoolName, A>(
  db: DatabasePool,
  listener: Listener,
  task: Task<P, N, A>,
  payload: z.input<P>,
  options: QuestionOptions,
): Promise<A> {
  const { timeout, signal, forgotten = false, ...rest } = options
  signal?.throwIfAborted()
  const id = await db.transaction((tx) => enqueueQuestion(tx, task, payload, rest))
  const run = await ended(db, listener, id, timeout, signal).catch(async (error) => {
    if (signal?.aborted) await cancel(db, id)
    throw error
  })
  if (run === null) {
    const before = await cancel(db, id)
    if (before === 'waiting') throw new NotStartedInTimeError(timeout)
    throw new Problem(504, 'server_error', `No response within ${Math.ceil(timeout / 1000)} s.`, { retryAfter: 2 })
  }
  if (run.state !== 'done') throw new Problem(502, 'upstream_error', 'The worker for this request failed.')
  if (forgotten) await runs.deleteResult(db, id)
  return run.result as A
}

/** Returns the run when it has ended, or null after `timeout` milliseconds. Throws the signal’s reason if it aborts. */
async function ended(
  db: DatabasePool,
  listener: Listener,
  id: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<runs.Run | null> {
  const { promise, resolve, reject } = Promise.withResolvers<runs.Run | null>()
  const check = async () => {
    const run = await runs.find(db, id)
    if (run === null || run.finished_at !== null) resolve(run)
  }
  const failed = () => reject(unavailable('The database is unavailable.'))
  const checkNow = () => void check().catch(failed)
  const stop = [
    listener.on(answersChannel, (ended) => {
      if (ended === id) checkNow()
    }),
    listener.onReconnect(checkNow),
  ]
  const again = runEvery(checkMs, check, failed)
  const late = setTimeout(() => resolve(null), timeout)
  const onAbort = () => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  checkNow()
  try {
    return await promise
  } finally {
    void again.stop()
    clearTimeout(late)
    signal?.removeEventListener('abort', onAbort)
    for (const off of stop) off()
  }
}
