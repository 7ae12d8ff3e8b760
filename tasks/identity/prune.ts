import { z } from 'zod'
import * as prompts from '#sql/identity/prompts.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Deletes links of which nobody can make use any more. */
export const prune = task({
  name: 'identity/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => prompts.prune(db, limit))
  },
})
