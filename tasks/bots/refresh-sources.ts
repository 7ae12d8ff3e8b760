import { z } from 'zod'
import * as sources from '#sql/bots/sources.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { readSource } from './read-source.ts'

/**
 * Maximum number of sources per round. If an organisation has many jobs, they wait behind jobs of organisations that
 * have fewer.
 */
const most = 500

export const refreshSources = task({
  name: 'bots/refresh-sources',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      const due = await sources.requestDue(tx, most)
      const payloads = due.map(({ id, try: nth }) => ({ sourceId: id, try: nth }))
      await enqueueMany(tx, readSource, payloads, (i) => ({ orgId: due[i]?.org_id ?? '', subject: due[i]?.id ?? '' }))
    })
  },
})
