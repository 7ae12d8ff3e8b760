import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as variants from '#sql/files/images/variants.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { variantKey } from './rules/keys.ts'

/** Deletes the bytes of a variant whose row is deleted or not made. */
export const discardVariant = task({
  name: 'files/discard-variant',
  pool: 'core',
  payload: z.object({ objectId: Id, variantId: Id }),
  attempts: 12,
  async run({ objectId, variantId }, { db, storage, signal }) {
    const variant = await variants.findById(db, variantId)
    if (variant?.state !== 'made') await storage.remove(variantKey(objectId, variantId), signal)
  },
})

/** Adds the jobs in the transaction that deletes the rows. */
export async function enqueueVariantRemoval(tx: Db, gone: readonly variants.Gone[]): Promise<void> {
  if (gone.length === 0) return
  const payloads = gone.map(({ id, object_id }) => ({ objectId: object_id, variantId: id }))
  await enqueueMany(tx, discardVariant, payloads)
}
