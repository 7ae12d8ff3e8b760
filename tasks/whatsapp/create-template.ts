import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { ownFailureOf } from './rules/error-table.ts'
import { apiOf } from './rules/own-number.ts'

/**
 * Hands a template in for review: a question (tasks/queue/ask.ts). It is not done twice, as Meta takes a name and language once: what
 * was taken and not answered comes with the next copy of the account's templates.
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
      const made = await (await apiOf(means, numberId)).createTemplate(template, signal)
      const row = { id: newId(), account_id: accountId, ...template, ...made, reason: null }
      const { provider_id } = await db.transaction((tx) => templates.put(tx, row))
      return { providerId: provider_id }
    } catch (error) {
      if (!(error instanceof CloudApiError)) throw error
      return { failure: { ...ownFailureOf(error), subcode: error.subcode } }
    }
  },
})
