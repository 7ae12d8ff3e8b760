import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import { endExpired } from '#sql/knowledge/stores.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { removeStore } from './remove-store.ts'

const atOnce = 100

/** Deletes vector stores that were not used for the days of their `expires_after`. */
export const expireStores = task({
  name: 'knowledge/expire-stores',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  timeout: 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => db.transaction((tx) => endBatch(tx, limit)), atOnce)
  },
})

async function endBatch(tx: Db, limit: number): Promise<number> {
  const ended = await endExpired(tx, limit)
  for (const { id, org_id } of ended) await enqueue(tx, removeStore, { storeId: id }, { orgId: org_id })
  return ended.length
}
