import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as variants from '#sql/files/images/variants.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { enqueueVariantRemoval } from './discard-variant.ts'

/** Days without use after which a variant is deleted. The next request makes it again. */
export const unusedDays = 30

const atOnce = 200

export const sweepVariants = task({
  name: 'files/sweep-variants',
  pool: 'core',
  payload: z.object({}),
  cron: '17 * * * *',
  attempts: 1,
  timeout: 5 * 60_000,
  async run(_, { db, signal }) {
    await inBatches(signal, (limit) => db.transaction((tx) => deleteUnused(tx, limit)), atOnce)
  },
})

async function deleteUnused(tx: Db, limit: number): Promise<number> {
  const gone = await variants.deleteUnused(tx, unusedDays, limit)
  await enqueueVariantRemoval(tx, gone)
  return gone.length
}
