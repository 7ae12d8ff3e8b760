import { z } from 'zod'
import * as exports from '#sql/account/exports.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { exportsPrefix } from './rules/archive-keys.ts'

const atOnce = 100

export const sweepExports = task({
  name: 'account/sweep-exports',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  timeout: 5 * 60_000,
  async run(_, { db, storage, signal }) {
    await inBatches(
      signal,
      async (limit) => {
        const over = await exports.listExpired(db, limit)
        for (const { id, org_id } of over) {
          signal.throwIfAborted()
          await storage.deleteAll(`${exportsPrefix(org_id)}${id}/`, signal)
          await exports.remove(db, id)
        }
        return over.length
      },
      atOnce,
    )
  },
})
