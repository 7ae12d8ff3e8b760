import { z } from 'zod'
import type { Db } from '#sql/db.ts'
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
  async run(_payload, { db, signal }) {
    for (let stale = await imports.listStale(db, readyDays); stale.length > 0; ) {
      for (const id of stale) {
        signal.throwIfAborted()
        await db.transaction((tx) => cancel(tx, id))
      }
      stale = await imports.listStale(db, readyDays)
    }
  },
})

async function cancel(tx: Db, id: string): Promise<void> {
  const now = await imports.lock(tx, id)
  if (now?.status !== 'ready') return
  await imports.setStatus(tx, id, 'cancelled', `The import was not applied within ${readyDays} days.`)
  await rows.clearItems(tx, id)
}
