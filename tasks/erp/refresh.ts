import { z } from 'zod'
import * as sources from '#sql/erp/sources.ts'
import { task } from '../queue/task.ts'
import { scheduleFetch } from './rules/schedule-fetch.ts'

/** Has the sources of registers fetched whose turn has come. */
export const refreshSources = task({
  name: 'erp/refresh',
  pool: 'web',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      for (const sourceId of await sources.takeDue(tx, 20)) await scheduleFetch(tx, sourceId)
    })
  },
})
