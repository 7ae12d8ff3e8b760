import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as digests from '#sql/notify/digests.ts'
import * as events from '#sql/notify/events.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Forgets events, with their places in inboxes and their copies, in their time. */
export const prune = task({
  name: 'notify/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '37 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => events.prune(db, config.NOTIFY_INBOX_DAYS, limit))
    await inBatches(signal, (limit) => digests.prune(db, config.NOTIFY_INBOX_DAYS, limit))
  },
})
