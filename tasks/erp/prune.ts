import { z } from 'zod'
import { getIdTime } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as imports from '#sql/erp/imports.ts'
import * as officers from '#sql/erp/officers.ts'
import * as relations from '#sql/erp/relations.ts'
import * as staging from '#sql/erp/staging.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { importFiles } from './rules/import-files.ts'

/** Number of days for which the file of a failed import is kept, so that the import can be retried. */
const days = 7

/**
 * Deletes files that are no longer needed, and rows of unfinished imports. The files are in storage, and their imports
 * stay.
 */
export const pruneImports = task({
  name: 'erp/prune',
  pool: 'core',
  payload: z.object({}),
  cron: '23 3 * * *',
  async run(_, { db, storage, signal }) {
    await staging.discardStrays(db)
    await officers.discardStrays(db)
    await relations.discardStrays(db)
    await inBatches(signal, async (limit) => {
      const found = await imports.listForgettable(db, days, limit)
      for (const { id, object_key } of found) {
        await storage.remove(object_key, signal)
        await imports.forgetFile(db, id)
      }
      return found.length
    })
    await removeStrays(db, storage)
  },
})

/** Deletes files whose upload ended before their import was recorded. */
async function removeStrays(db: Db, storage: Storage): Promise<void> {
  const keys = await storage.keys(importFiles)
  const idOf = (key: string) => key.slice(importFiles.length)
  const old = keys.filter((key) => getIdTime(idOf(key)) < Date.now() - 86_400_000)
  const known = new Set(await imports.filterExisting(db, old.map(idOf)))
  for (const key of old) if (!known.has(idOf(key))) await storage.remove(key)
}
