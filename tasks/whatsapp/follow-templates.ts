import { z } from 'zod'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { syncTemplates } from './sync-templates.ts'

/** Hours after which a copy is renewed although nothing is under review; seconds that a number may wait to be asked for. */
const [copyHours, pendingSeconds] = [12, 600]

/** Asks for the templates of accounts that have some under review: a webhook that would tell of it may be lost. */
export const followTemplates = task({
  name: 'whatsapp/follow-templates',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  async run(_, { db }) {
    await numbers.discardStale(db, pendingSeconds)
    const followed = await numbers.toFollow(db, copyHours)
    await db.transaction((tx) =>
      enqueueMany(
        tx,
        syncTemplates,
        followed.map((numberId) => ({ numberId })),
      ),
    )
  },
})
