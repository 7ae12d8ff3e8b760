import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue } from '../enqueue.ts'
import { task } from '../task.ts'
import { discardPackage } from './discard-package.ts'
import { mediaStep } from './failure.ts'
import { fetchMezzanine } from './mezzanine.ts'
import { publish } from './publish.ts'

/** Packages a source that players take as it is, so that it can be watched seconds after its upload. */
export const packageSource = task({
  name: 'video/package-source',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 60 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal, own, progress, runId }) {
    const asset = await pipeline.find(db, assetId)
    if (!asset?.mezzanine || asset.playable_at || !runId) return
    await pipeline.enter(db, assetId, 'packaging_source')
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    await using folder = await scratch.attempt(mezzanine.bytes)
    const made = await mediaStep(() =>
      media.packageCopy({ mezzanine, folder: folder.path }, { signal, onProgress: progress }),
    )
    const record = await publish(assetId, runId, made, storage, signal)
    await own(async (tx) => {
      if (await pipeline.becomePlayable(tx, assetId, runId)) return await record(tx)
      // The ladder was there first, or the asset has failed.
      await enqueue(tx, discardPackage, { assetId, packageId: runId })
    })
  },
  // The ladder goes on without it: the asset is then playable when that is ready.
  async giveUp({ assetId }, _, { db, runId }) {
    if (runId) await enqueue(db, discardPackage, { assetId, packageId: runId })
  },
})
