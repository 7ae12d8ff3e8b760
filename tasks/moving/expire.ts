import { z } from 'zod'
import * as imports from '#sql/moving/imports.ts'
import * as rows from '#sql/moving/rows.ts'
import { task } from '../queue/task.ts'

/** Number of days for which a checked import waits. Then its data and the key of the provider are deleted. */
export const readyDays = 7

export const expire = task({
  name: 'moving/expire',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  async run(_payload, { db }) {
    for (const id of await imports.listStale(db, readyDays))
      await db.transaction(async (tx) => {
        const now = await imports.lock(tx, id)
        if (now?.status !== 'ready') return
        await imports.setStatus(tx, id, 'cancelled', `The import was not applied within ${readyDays} days.`)
        await rows.clearItems(tx, id)
      })
  },
})
