import { z } from 'zod'
import * as idempotency from '#sql/account/idempotency.ts'
import * as limits from '#sql/account/limits.ts'
import * as sessions from '#sql/account/sessions.ts'
import { task } from '../task.ts'

const batch = 5_000

/** Forgets idempotency keys a day after their request, and rate limits' windows and sessions that are over. */
export const prune = task({
  name: 'account/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 4 * 60_000,
  async run(_, { db, signal }) {
    while (!signal.aborted && (await idempotency.deleteExpired(db, batch)) === batch);
    while (!signal.aborted && (await limits.deleteExpired(db, batch)) === batch);
    while (!signal.aborted && (await sessions.deleteExpired(db, batch)) === batch);
  },
})
