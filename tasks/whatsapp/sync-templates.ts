import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { failureOf } from './rules/error-table.ts'

/** Copies the business account's templates from the Cloud API; answers how many there are, or why there are none. */
export const syncTemplates = task({
  name: 'whatsapp/sync-templates',
  pool: 'whatsapp',
  payload: z.object({}),
  attempts: 1,
  timeout: 60_000,
  tracked: true,
  async run(_, { db, whatsapp, signal, log }) {
    try {
      const { accountId, templates: listed } = await whatsapp.templates(signal)
      const rows = listed.map((template) => ({ id: newId(), account_id: accountId, ...template }))
      await db.transaction((tx) => templates.replace(tx, accountId, rows))
      return { count: rows.length }
    } catch (error) {
      if (!(error instanceof CloudApiError)) throw error
      log.error({ outcome: error.outcome, status: error.httpStatus, code: error.code }, 'templates could not be listed')
      return { failure: failureOf(error) }
    }
  },
})
