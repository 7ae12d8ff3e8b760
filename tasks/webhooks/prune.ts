import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as events from '#sql/webhooks/events.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Forgets events and the log of their deliveries in their time. */
export const prune = task({
  name: 'webhooks/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => events.prune(db, config.WEBHOOK_LOG_DAYS, limit))
  },
})
