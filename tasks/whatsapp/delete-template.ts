import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { toOwnNumberError } from './rules/error-table.ts'
import { getNumberApi } from './rules/own-number.ts'

/**
 * Deletes one language of a template at Meta and in the database. Callers wait for it with `ask` (tasks/queue/ask.ts).
 */
export const deleteTemplate = task({
  name: 'whatsapp/delete-template',
  pool: 'whatsapp',
  payload: z.object({ numberId: Id, accountId: z.string(), providerId: z.string(), name: z.string() }),
  attempts: 1,
  timeout: 30_000,
  tracked: true,
  async run({ numberId, accountId, providerId, name }, means) {
    const { db, signal } = means
    try {
      await (await getNumberApi(means, numberId)).deleteTemplate({ name, providerId }, signal)
      await db.transaction((tx) => templates.remove(tx, accountId, providerId))
      return {}
    } catch (error) {
      if (!(error instanceof CloudApiError)) throw error
      return { failure: toOwnNumberError(error) }
    }
  },
})
