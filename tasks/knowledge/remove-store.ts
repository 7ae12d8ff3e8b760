import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as files from '#sql/knowledge/store-files.ts'
import * as stores from '#sql/knowledge/stores.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'

/** Number of files per statement. The index of a file has up to several thousand rows. */
const atOnce = 10

/** Deletes an ended vector store. Its files and their indexes are deleted before, in batches. */
export const removeStore = task({
  name: 'knowledge/remove-store',
  pool: 'core',
  payload: z.object({ storeId: Id }),
  attempts: 12,
  timeout: 10 * 60_000,
  async run({ storeId }, { db, signal }) {
    await inBatches(signal, (limit) => files.removeSome(db, storeId, limit), atOnce)
    signal.throwIfAborted()
    await stores.remove(db, storeId)
  },
})
