import { z } from 'zod'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import { task } from '../queue/task.ts'
import { enqueueEndpoints } from './rules/wake-endpoints.ts'

/**
 * Delay in milliseconds after which the job of a due delivery counts as lost. The job was cancelled or died with its
 * worker.
 */
const lostMs = 60_000

/** Starts delivery to endpoints whose jobs were lost. */
export const wakeOverdue = task({
  name: 'webhooks/wake-overdue',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => enqueueEndpoints(tx, await deliveries.listOverdue(tx, lostMs, 1_000)))
  },
})
