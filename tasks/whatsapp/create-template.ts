import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { toOwnNumberError } from './rules/error-table.ts'
import { getNumberApi } from './rules/own-number.ts'

/**
 * Submits a template for review. Callers wait for it with `ask` (tasks/queue/ask.ts). Never repeated, because Meta
 * accepts a name and language once. If Meta does not respond, the template arrives with the next copy.
 */
export const createTemplate = task({
  name: 'whatsapp/create-template',
  pool: 'whatsapp',
  payload: z.object({
    numberId: Id,
    accountId: z.string(),
    template: z.object({
      name: z.string(),
      language: z.string(),
      category: z.string(),
      parameter_format: z.string(),
      components: z.array(z.looseObject({ type: z.string() })),
    }),
  }),
  attempts: 1,
  timeout: 30_000,
  tracked: true,
  async run({ numberId, accountId, template }, means) {
    const { db, signal } = means
    try {
      const made = await (await getNumberApi(means, numberId)).createTemplate(template, signal)
      const row = { id: newId(), account_id: accountId, ...template, ...made, reason: null }
      const { provider_id } = await db.transaction((tx) => templates.upsert(tx, row))
      return { providerId: provider_id }
    } catch (error) {
      if (!(error instanceof CloudApiError)) throw error
      return { failure: { ...toOwnNumberError(error), subcode: error.subcode } }
    }
  },
})
