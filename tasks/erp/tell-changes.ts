import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as changes from '#sql/erp/changes.ts'
import * as imports from '#sql/erp/imports.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { task } from '../queue/task.ts'
import { emitMany } from '../webhooks/rules/emit.ts'

const shown = 100

const batch = 200

const type = 'erp.register.changed'

const patterns = ['*', 'erp.*', 'erp.register.*', type]

/** Sends the changes of an import to all subscribed webhooks, once. The import stores the progress. */
export const tellChanges = task({
  name: 'erp/tell-changes',
  pool: 'web',
  payload: z.object({ importId: Id }),
  attempts: 10,
  timeout: 10 * 60_000,
  async run({ importId }, { db, signal }) {
    const one = await imports.find(db, importId)
    if (!one?.counts) return
    const found = one.is_first ? [] : await changes.list(db, importId, { limit: shown })
    const { added, changed, missing: removed, read: entries } = one.counts
    const data = {
      register: one.register,
      import_id: importId,
      first: one.is_first,
      entries,
      added,
      changed,
      removed,
      changes: found.map(({ kind, jurisdiction, code, name }) => ({ kind, jurisdiction, code, name })),
    }
    for (let told = batch; told === batch && !signal.aborted; ) {
      told = await db.transaction(async (tx) => {
        const after = await imports.lockForNotification(tx, importId)
        const orgs = await endpoints.listAskingFor(tx, patterns, { after, limit: batch })
        await emitMany(
          tx,
          orgs.map((orgId) => ({ orgId, type, data })),
        )
        const last = orgs.at(-1)
        if (last) await imports.recordNotified(tx, importId, last)
        return orgs.length
      })
    }
    signal.throwIfAborted()
  },
})
