import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import { toMessageError } from './rules/error-table.ts'
import { getNumberApi } from './rules/own-number.ts'

/** Checks a number at Meta. Callers wait for it with `ask` (tasks/queue/ask.ts). */
export const checkNumber = task({
  name: 'whatsapp/check-number',
  pool: 'whatsapp',
  payload: z.object({ numberId: Id }),
  attempts: 1,
  timeout: 30_000,
  tracked: true,
  async run({ numberId }, means) {
    try {
      return { answer: await (await getNumberApi(means, numberId)).check(means.signal) }
    } catch (error) {
      if (!(error instanceof CloudApiError)) throw error
      return { failure: toMessageError(error) }
    }
  },
})
