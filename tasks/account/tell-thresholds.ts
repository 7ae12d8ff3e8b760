import { z } from 'zod'
import { recordReached } from '#sql/account/budget-alerts.ts'
import { task } from '../queue/task.ts'
import { announceThreshold } from './rules/announce-threshold.ts'

/** Tells of thresholds that were reached since, each once in its period. */
export const tellThresholds = task({
  name: 'account/tell-thresholds',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      for (const alert of await recordReached(tx)) await announceThreshold(tx, alert)
    })
  },
})
