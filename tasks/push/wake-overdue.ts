import { z } from 'zod'
import * as deliveries from '#sql/push/deliveries.ts'
import { task } from '../queue/task.ts'
import { batchSize, wakeLanes } from './deliver.ts'

/** Seconds after which a due delivery has lost its wake-up: its job was cancelled, or given up with its worker. */
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
