import { z } from 'zod'
import * as quality from '#sql/video/quality.ts'
import * as views from '#sql/video/views.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

const keepDays = 400

/** Deletes views that are too old for further beacons, and hourly quality rows older than 400 days. */
export const pruneQuality = task({
  name: 'video/prune-quality',
  pool: 'core',
  payload: z.object({}),
  cron: '41 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => views.deleteOld(db, limit))
    await quality.prune(db, keepDays)
  },
})
