import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as variants from '#sql/files/images/variants.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { heldPrefix, previewsPrefix, quarantinePrefix, variantsPrefix } from './rules/keys.ts'

export const remove = task({
  name: 'files/remove',
  pool: 'core',
  payload: z.object({ objectId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ objectId }, { db, storage, signal }) {
    const deleted = await objects.findDeleted(db, objectId)
    if (!deleted) return
    const { key, storage_upload } = deleted
    if (key !== null && storage_upload !== null) await storage.multipart.abort(key, storage_upload)
    await storage.remove(deleted.incoming_key, signal)
    await storage.deleteAll(heldPrefix(objectId), signal)
    await storage.deleteAll(quarantinePrefix(objectId), signal)
    await storage.deleteAll(previewsPrefix(objectId), signal)
    await variants.deleteAll(db, objectId)
    await storage.deleteAll(variantsPrefix(objectId), signal)
    if (deleted.longAgo) await objects.remove(db, objectId)
  },
})

/** Delay of the second deletion in milliseconds. Upload URLs expire and scans end earlier. */
const againMs = 2 * 60 * 60_000

/** Adds two deletion jobs: one for now, and one for bytes that arrive later. */
export async function enqueueRemoval(tx: Db, object: { id: string; org_id: string }): Promise<void> {
  const again = new Date(Date.now() + againMs)
  await enqueue(tx, remove, { objectId: object.id }, { orgId: object.org_id })
  await enqueue(tx, remove, { objectId: object.id }, { orgId: object.org_id, at: again })
}
