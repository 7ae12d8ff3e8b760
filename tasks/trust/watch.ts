import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { isActive } from '#sql/jobs/queue.ts'
import { poolSchema } from '../pools.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { sweepWatches } from './rules/sweep-watches.ts'

const restKey = 'trust/watch/rest'

/** Time in milliseconds after which a sweep continues in another job, before the next scheduled sweep starts. */
const spanMs = 4 * 60_000

/**
 * Checks every watched URL and notifies organisations of changed verdicts. Runs after each import, and when feeds
 * become stale. While a sweep with several jobs is in progress, no other sweep starts, because otherwise no sweep would
 * finish.
 */
export const watch = task({
  name: 'trust/watch',
  pool: 'web',
  payload: z.object({ after: Id.optional() }),
  cron: '*/5 * * * *',
  timeout: 10 * 60_000,
  async run({ after }, tools) {
    if (after === undefined && (await isActive(tools.db, poolSchema('web'), restKey))) return
    const left = await sweepWatches(tools, { after, mostMs: spanMs })
    if (left !== undefined) await enqueue(tools.db, watch, { after: left }, { key: restKey })
  },
})
