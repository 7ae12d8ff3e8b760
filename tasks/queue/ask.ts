import type { z } from 'zod'
import { Problem, unavailable } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as runs from '#sql/jobs/runs.ts'
import type { Listener } from '#sql/listen.ts'
import type { PoolName } from '../pools.ts'
import { cancel, type EnqueueOptions, enqueueQuestion } from './enqueue.ts'
import type { Task } from './task.ts'

/** The channel on which ended runs that somebody waits for are named. */
export const answersChannel = 'jobs_answers'

/** How often a waiting question checks its run unasked, in case a notification was lost with its connection. */
const checkMs = 2_000

export interface QuestionOptions extends EnqueueOptions {
  /** Milliseconds for which the answer is waited for. */
  timeout: number
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal
  /** Whether the answer is struck from the run's record once it is here: it is a customer's text. */
  forgotten?: boolean
}

/** No worker began the work in time: all that do such work are busy, or there is none. */
export class NotBegun extends Problem {
  constructor(timeout: number) {
    super(504, 'server_error', `No answer within ${Math.ceil(timeout / 1000)} s.`, { retryAfter: 2 })
  }
}

/**
 * Asks a worker and waits for its answer: enqueues a tracked task and returns what its `run` returned. What it threw for
 * good becomes 502, no answer within `timeout` milliseconds 504 (the run is cancelled then). An aborted `signal` cancels the
 * run, too, and its reason is thrown.
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
    if (before === 'waiting') throw new NotBegun(timeout)
    throw new Problem(504, 'server_error', `No answer within ${Math.ceil(timeout / 1000)} s.`, { retryAfter: 2 })
  }
  if (run.state !== 'done') throw new Problem(502, 'upstream_error', 'The work behind this request failed.')
  if (forgotten) await runs.forgetResult(db, id)
  return run.result as A
}

/** The run once it has ended, or null after `timeout` milliseconds; throws the signal's reason. */
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
