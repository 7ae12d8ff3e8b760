import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as calls from '#sql/voice/calls.ts'
import * as switchboards from '#sql/voice/switchboards.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const dayMs = 24 * 60 * 60_000

/** Forgets calls in their time. */
export const prune = task({
  name: 'voice/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '47 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    const before = new Date(Date.now() - config.VOICE_HISTORY_DAYS * dayMs)
    await inBatches(signal, (limit) => calls.prune(db, before, limit), 1_000)
    await switchboards.prune(db)
  },
})
