import { z } from 'zod'
import * as deliveries from '#sql/push/deliveries.ts'
import { task } from '../queue/task.ts'
import { batchSize, wakeLanes } from './deliver.ts'

/**
 * Time in seconds after which the wake-up of a due delivery counts as lost. Its job was cancelled, or given up with its
 * worker.
 */
const lostSeconds = 60

export const wakeOverdue = task({
  name: 'push/wake-overdue',
  pool: 'push',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    const overdue = await deliveries.listOverdue(db, lostSeconds)
    await wakeLanes(
      db,
      overdue.map((lane) => ({ lane, deliveries: batchSize })),
    )
  },
})
