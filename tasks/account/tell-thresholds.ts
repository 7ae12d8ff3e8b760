import { z } from 'zod'
import { listReached } from '#sql/account/usage/budget-alerts.ts'
import { task } from '../queue/task.ts'
import { announceThresholds } from './rules/announce-threshold.ts'
import { notifyEach } from './rules/tell-each.ts'

export const tellThresholds = task({
  name: 'account/tell-thresholds',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal }) {
    await notifyEach(db, await listReached(db), announceThresholds, signal)
  },
})
