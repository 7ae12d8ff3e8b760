import { z } from 'zod'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import { task } from '../queue/task.ts'
import { wake } from './deliver.ts'

/** Milliseconds after which what is due has lost its wake-up: its job was cancelled, or given up with its worker. */
const lostMs = 60_000

/** Has endpoints delivered to whose wake-ups are lost. */
export const wakeOverdue = task({
  name: 'webhooks/wake-overdue',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => wake(tx, await deliveries.listOverdue(tx, lostMs, 1_000)))
  },
})
