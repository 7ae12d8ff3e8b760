import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/video/playlists.ts'
import { task } from '../queue/task.ts'

/**
 * Deletes an asset’s replaced packages. The job is added a day ahead, so that players that use a replaced package can
 * finish.
 */
export const retirePackages = task({
  name: 'video/retire-packages',
  pool: 'core',
  payload: z.object({ assetId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId }, { db, storage, signal }) {
    for (const packageId of await playlists.listRetired(db, assetId)) {
      await storage.deleteAll(playlists.packagePrefix(assetId, packageId), signal)
      await db.transaction((tx) => playlists.deletePackage(tx, packageId))
    }
  },
})
