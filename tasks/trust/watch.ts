import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isUnderWay } from '#sql/jobs/queue.ts'
import { poolSchema } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { sweepWatches } from './rules/sweep-watches.ts'

/** Of the job that goes on with a sweep. */
const restKey = 'trust/watch/rest'

/** Milliseconds after which a sweep goes on in another job: before the next by the clock begins. */
const spanMs = 4 * 60_000

/**
 * Judges every watched URL anew, and tells whoever watches one whose verdict is another. After each import, and as feeds become stale.
 * While a sweep of more than one job's work is under way no other begins, as none would come to its end.
 */
export const watch = task({
  name: 'trust/watch',
  pool: 'web',
  /** Behind which watch it goes on. */
  payload: z.object({ after: Id.optional() }),
  cron: '*/5 * * * *',
  timeout: 10 * 60_000,
  async run({ after }, tools) {
    if (after === undefined && (await isUnderWay(tools.db, poolSchema('web'), restKey))) return
    const left = await sweepWatches(tools, { after, mostMs: spanMs })
    if (left !== undefined) await enqueue(tools.db, watch, { after: left }, { key: restKey })
  },
})
