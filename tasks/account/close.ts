import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import * as closures from '#sql/account/closures.ts'
import { isUnderWay } from '#sql/jobs/queue.ts'
import { poolSchema } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { closeOrganisation } from './rules/close-organisation.ts'
import type { Means } from './rules/purge.ts'

/** How often it runs, for how long a run goes on, and for how long at least with one organisation, in milliseconds. */
const [everyMs, spanMs, leastMs] = [5 * 60_000, 4 * 60_000, 1_000]

/** Of the job that goes on with what a run has left. */
export const restKey = 'account/close/rest'

/**
 * Deletes the organisations whose grace is over, a batch at a time: each gets its share of a run's time, and what is left then goes
 * on in another, beside which none begins by the clock. One that fails keeps none of the others, and fails the job at its end.
 */
export const close = task({
  name: 'account/close',
  pool: 'core',
  payload: z.object({ isRest: z.boolean().default(false) }),
  cron: '*/5 * * * *',
  timeout: everyMs + 10 * 60_000,
  async run({ isRest }, { db, storage, signal, log }): Promise<void> {
    if (!isRest && (await isUnderWay(db, poolSchema('core'), restKey))) return
    const failed: unknown[] = []
    const left = await closeAll(await closures.begin(db), { db, storage, signal }, spanMs, (error, work) => {
      log.error({ closure: work.id, err: describe(error) }, 'an organisation could not be deleted and will be retried')
      failed.push(error)
    })
    if (left > 0) await enqueue(db, close, { isRest: true }, { key: restKey })
    if (failed.length > 0) throw new Error(`${failed.length} organisations could not be deleted`, { cause: failed[0] })
  },
})

/** Goes on with closures for a span of time, of which each that is left has an equal share; returns how many are yet to be ended. */
export async function closeAll(
  works: readonly closures.Work[],
  { signal, ...means }: Omit<Means, 'catalogue' | 'hasMoved'>,
  ms: number,
  failed: (error: unknown, work: closures.Work) => void,
): Promise<number> {
  const end = performance.now() + ms
  let left = 0
  for (const [i, work] of works.entries()) {
    const share = (end - performance.now()) / (works.length - i)
    if (share <= 0) return left + works.length - i
    const over = AbortSignal.timeout(Math.max(leastMs, Math.ceil(share)))
    try {
      await closeOrganisation(work, { ...means, signal: AbortSignal.any([signal, over]) })
    } catch (error) {
      signal.throwIfAborted()
      if (over.aborted && isAbort(error, over)) left++
      else failed(error, work)
    }
  }
  return left
}

/** Whether an error says no more than that a signal was given. */
const isAbort = (error: unknown, { reason }: AbortSignal): boolean =>
  error === reason || (error instanceof Error && (error.name === 'AbortError' || error.cause === reason))
