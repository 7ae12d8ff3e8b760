import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as inbound from '#sql/email/inbound.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Forgets mail that came back, and mail to the operator, in their time. */
export const pruneInbound = task({
  name: 'email/prune-inbound',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => inbound.prune(db, config.EMAIL_MESSAGE_DAYS, limit))
    const operatorDays = Math.min(operatorMail.keepDays, config.EMAIL_MESSAGE_DAYS)
    await inBatches(signal, (limit) => operatorMail.prune(db, operatorDays, limit))
  },
})
