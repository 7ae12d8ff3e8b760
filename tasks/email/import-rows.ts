import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/import-rows.ts'
import * as imports from '#sql/email/imports.ts'
import { task } from '../queue/task.ts'
import { emit } from '../webhooks/rules/emit.ts'
import { failedImportData, importData } from './rules/event-data.ts'
import { importApart } from './rules/imports/import-apart.ts'

const pageSize = 500

/** Number of pages per run. Then other jobs get their turn. */
const pagesPerRun = 40

/** Reads the rows of an import, page by page. A crash between pages neither omits nor repeats rows. */
export const importRows = task({
  name: 'email/import-rows',
  pool: 'mail-campaign',
  payload: z.object({ importId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ importId }, { db, signal }) {
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      if (!(await db.transaction((tx) => importPage(tx, importId)))) return
    }
    throw new Later(0, 'more rows follow')
  },
  async giveUp({ importId }, error, { db }) {
    const reason = `The import stopped: ${error.name}. Import the list again. Existing rows do not change.`
    await db.transaction(async (tx) => {
      const failed = await imports.fail(tx, importId, reason)
      if (failed) await emit(tx, failed.org_id, 'email.import.failed', failedImportData(failed))
    })
  },
  revive: ({ importId }, { db }) => imports.retry(db, importId),
})

/** Reads one page of rows. Returns false if no rows are left. */
async function importPage(tx: Db, id: string): Promise<boolean> {
  const found = await imports.lockOpen(tx, id)
  if (!found) return false
  const page = await rows.listWaiting(tx, id, pageSize)
  if (page.length === 0) {
    const finished = await imports.finish(tx, id)
    await emit(tx, finished.org_id, 'email.import.finished', importData(finished))
    return false
  }
  const results = await importApart(tx, found, page)
  await rows.setResults(tx, id, results)
  const countOf = (outcome: rows.Outcome) => results.filter((result) => result.outcome === outcome).length
  await imports.count(tx, id, {
    imported: countOf('imported'),
    existing: countOf('existing') + countOf('unsubscribed'),
    invalid: countOf('invalid'),
  })
  return true
}
