import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { emitTemplates } from './rules/emit-templates.ts'
import { toMessageError, toOwnNumberError } from './rules/error-table.ts'
import { getNumberApi, NumberRemovedError } from './rules/own-number.ts'

export const syncTemplates = task({
  name: 'whatsapp/sync-templates',
  pool: 'whatsapp',
  payload: z.object({ numberId: Id.nullable().default(null) }),
  attempts: 1,
  timeout: 60_000,
  tracked: true,
  async run({ numberId }, means) {
    const { db, signal, log } = means
    try {
      const { accountId, templates: listed } = await (await getNumberApi(means, numberId)).templates(signal)
      const rows = listed.map((template) => ({ id: newId(), account_id: accountId, ...template }))
      await db.transaction(async (tx) => emitTemplates(tx, accountId, await templates.replace(tx, accountId, rows)))
      return { count: rows.length }
    } catch (error) {
      if (error instanceof NumberRemovedError) return { count: 0 }
      if (!(error instanceof CloudApiError)) throw error
      log.error({ outcome: error.outcome, status: error.httpStatus, code: error.code }, 'could not list templates')
      return { failure: numberId === null ? toMessageError(error) : toOwnNumberError(error) }
    }
  },
})
