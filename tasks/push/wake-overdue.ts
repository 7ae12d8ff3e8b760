import { z } from 'zod'
import * as deliveries from '#sql/push/deliveries.ts'
import { task } from '../queue/task.ts'
import { batchSize, wakeLanes } from './deliver.ts'

/** Seconds after which what is due has lost its wake-up: its job was cancelled, or given up with its worker. */
const lostSeconds = 60

/** Has deliveries sent whose wake-ups are lost. */
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
