import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as scans from '#sql/files/scans.ts'
import * as stateChanges from '#sql/files/state-changes.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Forgets earlier scans of objects, and changes of their states, in their time. */
export const prune = task({
  name: 'files/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '41 * * * *',
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => scans.prune(db, config.SCAN_HISTORY_DAYS, limit))
    await inBatches(signal, (limit) => stateChanges.prune(db, config.FILE_CHANGES_DAYS, limit))
  },
})
