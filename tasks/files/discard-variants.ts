import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as variants from '#sql/files/images/variants.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { variantsPrefix } from './rules/keys.ts'

/** Deletes all variants of a version that is infected. */
export const discardVariants = task({
  name: 'files/discard-variants',
  pool: 'core',
  payload: z.object({ objectId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ objectId }, { db, storage, signal }) {
    await variants.deleteAll(db, objectId)
    await storage.deleteAll(variantsPrefix(objectId), signal)
  },
})

export async function enqueueVariantsRemoval(tx: Db, object: { id: string; org_id: string }): Promise<void> {
  await enqueue(tx, discardVariants, { objectId: object.id }, { orgId: object.org_id })
}
