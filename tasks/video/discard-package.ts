import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as playlists from '#sql/video/playlists.ts'
import { task } from '../queue/task.ts'

export const discardPackage = task({
  name: 'video/discard-package',
  pool: 'core',
  payload: z.object({ assetId: Id, packageId: Id }),
  attempts: 12,
  timeout: 5 * 60_000,
  async run({ assetId, packageId }, { db, storage, signal }) {
    if (await playlists.hasPackage(db, assetId, packageId)) return
    await storage.deleteAll(playlists.packagePrefix(assetId, packageId), signal)
  },
})
