import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as posters from '#sql/video/posters.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { extrasPrefix } from './rules/keys.ts'

/** Time in milliseconds for which a replaced image is kept, because viewers have its URL. */
const keepMs = 10 * 60_000

/** Deletes images of an asset that it no longer uses. */
export const discardExtras = task({
  name: 'video/discard-extras',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 60_000,
  async run({ assetId }, { db, storage, signal }) {
    const prefix = extrasPrefix(assetId)
    const stored = await storage.keys(prefix, signal)
    const used = await posters.listUsed(db, assetId)
    for (const key of stored) {
      const id = idOf(key.slice(prefix.length))
      // A newer image can belong to a job that is still running.
      if (!used.has(id) && getIdTime(id) < Date.now() - keepMs) await storage.remove(key, signal)
    }
  },
})

/** Returns the ID in a name such as `poster-<id>.jpg`. */
function idOf(name: string): string {
  const [stem = ''] = name.split('.')
  return stem.slice(stem.indexOf('-') + 1)
}

export async function enqueueDiscardExtras(
  tx: Db,
  { id, org_id: orgId }: { id: string; org_id: string },
): Promise<void> {
  const at = new Date(Date.now() + 2 * keepMs)
  await enqueue(tx, discardExtras, { assetId: id }, { orgId, key: `extras:${id}`, at })
}
