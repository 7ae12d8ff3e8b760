import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as directory from '#sql/bots/directory.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Conversations in one statement: each takes its messages with it. */
const atOnce = 500

/** Forgets conversations in their time, and counts anew by how many each bot is used. */
export const prune = task({
  name: 'bots/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => conversations.prune(db, config.BOTS_RETENTION_DAYS, limit), atOnce)
    await directory.recount(db)
  },
})
