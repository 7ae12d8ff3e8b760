import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as received from '#sql/email/received.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { deleteReceived } from './rules/received/delete.ts'

const atOnce = 100

/** Maximum duration of one sweep in milliseconds. Less than the timeout of the job. */
const spanMs = 4 * 60_000

/** Deletes expired received email (EMAIL_CONTENT_DAYS), and rows whose bytes never arrived. */
export const sweepReceived = task({
  name: 'email/sweep-received',
  pool: 'core',
  payload: z.object({}),
  cron: '23 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(spanMs)])
    await inBatches(
      inTime,
      (limit) =>
        db.transaction(async (tx) => {
          const over = await received.listExpired(tx, config.EMAIL_CONTENT_DAYS, limit)
          for (const id of over) await deleteReceived(tx, id)
          return over.length
        }),
      atOnce,
    )
  },
})
