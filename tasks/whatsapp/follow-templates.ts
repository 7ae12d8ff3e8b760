import { z } from 'zod'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { syncTemplates } from './sync-templates.ts'

/**
 * Time in hours after which a copy is refreshed even if no template is under review, and time in seconds for which a
 * number may wait for its check.
 */
const [copyHours, pendingSeconds] = [12, 600]

/** Fetches the templates of accounts with a template under review, because a webhook may be lost. */
export const followTemplates = task({
  name: 'whatsapp/follow-templates',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  async run(_, { db }) {
    await numbers.discardStale(db, pendingSeconds)
    const followed = await numbers.listDueForSync(db, copyHours)
    await db.transaction((tx) =>
      enqueueMany(
        tx,
        syncTemplates,
        followed.map((numberId) => ({ numberId })),
      ),
    )
  },
})
