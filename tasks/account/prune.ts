import { z } from 'zod'
import * as idempotency from '#sql/account/idempotency.ts'
import * as limits from '#sql/account/limits.ts'
import * as sessions from '#sql/account/sessions.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Forgets idempotency keys a day after their request, and rate limits' windows and sessions that are over. */
export const prune = task({
  name: 'account/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 4 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => idempotency.deleteExpired(db, limit))
    await inBatches(signal, (limit) => limits.deleteExpired(db, limit))
    await inBatches(signal, (limit) => sessions.deleteExpired(db, limit))
  },
})
