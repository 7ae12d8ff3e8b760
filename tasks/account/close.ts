import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import * as closures from '#sql/account/closures.ts'
import { isActive } from '#sql/jobs/queue.ts'
import { poolSchema } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { closeOrganisation } from './rules/close-organisation.ts'
import type { PurgeTools } from './rules/purge.ts'

/** Interval between runs, duration of a run, and minimum time for one organisation, in milliseconds. */
const [everyMs, spanMs, leastMs] = [5 * 60_000, 4 * 60_000, 1_000]

export const restKey = 'account/close/rest'

/**
 * Deletes organisations whose grace period has ended, in batches. Each organisation gets a share of the time of a run,
 * and another job continues the rest. While this job is pending, the schedule starts no other job. If an organisation
 * fails, the others are still processed. The job then fails at its end.
 */
export const close = task({
  name: 'account/close',
  pool: 'core',
  payload: z.object({ isRest: z.boolean().default(false) }),
  cron: '*/5 * * * *',
  timeout: everyMs + 10 * 60_000,
  async run({ isRest }, { db, storage, signal, log }): Promise<void> {
    if (!isRest && (await isActive(db, poolSchema('core'), restKey))) return
    const failed: unknown[] = []
    const left = await closeAll(await closures.begin(db), { db, storage, signal }, spanMs, (error, work) => {
      log.error({ closure: work.id, err: describe(error) }, 'an organisation could not be deleted and will be retried')
      failed.push(error)
    })
    if (left > 0) await enqueue(db, close, { isRest: true }, { key: restKey })
    if (failed.length > 0) throw new Error(`${failed.length} organisations could not be deleted`, { cause: failed[0] })
  },
})

/** Continues closures for a limited time, divided equally among them. Returns the number of unfinished closures. */
export async function closeAll(
  works: readonly closures.ClosureProgress[],
  { signal, ...means }: Omit<PurgeTools, 'catalogue' | 'hasMoved'>,
  ms: number,
  failed: (error: unknown, work: closures.ClosureProgress) => void,
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

/** True if the error only reports the aborted signal. */
const isAbort = (error: unknown, { reason }: AbortSignal): boolean =>
  error === reason || (error instanceof Error && (error.name === 'AbortError' || error.cause === reason))
