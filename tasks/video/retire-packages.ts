import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/video/playlists.ts'
import { task } from '../queue/task.ts'

/** Removes an asset's packages that are served no longer. Enqueued a day ahead: players that began on one go on with it. */
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
