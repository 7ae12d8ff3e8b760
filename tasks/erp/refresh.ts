import { z } from 'zod'
import * as sources from '#sql/erp/sources.ts'
import { task } from '../queue/task.ts'
import { scheduleFetch } from './rules/source-controls.ts'

/** Sources that are busy at a time: a fetch takes up to 45 minutes, reading its file 60, and pool web has 8 places for all that is asked of it. */
const most = 2

/** Has the sources of registers fetched whose turn has come. */
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
