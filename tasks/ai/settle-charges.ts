import { z } from 'zod'
import * as charges from '#sql/ai/charges.ts'
import { task } from '../queue/task.ts'
import { chargeLost } from './rules/charge.ts'

const batch = 200

/** Charges an estimate for requests whose worker was lost before their cost was known. */
export const settleCharges = task({
  name: 'ai/settle-charges',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  async run(_, { db, signal }) {
    for (let count = batch; count === batch && !signal.aborted; ) {
      count = await db.transaction(async (tx) => {
        const lost = await charges.takeExpired(tx, batch)
        for (const charge of lost) await chargeLost(tx, charge)
        return lost.length
      })
    }
  },
})
