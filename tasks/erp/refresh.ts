import { z } from 'zod'
import * as sources from '#sql/erp/sources.ts'
import { task } from '../queue/task.ts'
import { scheduleFetch } from './rules/source-controls.ts'

/**
 * Maximum number of sources processed at the same time. A fetch takes up to 45 minutes and an import up to 60. The pool
 * web has 8 slots for all its tasks.
 */
const most = 2

export const refreshSources = task({
  name: 'erp/refresh',
  pool: 'web',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      for (const sourceId of await sources.takeDue(tx, most)) await scheduleFetch(tx, sourceId)
    })
  },
})
