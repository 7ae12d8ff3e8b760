import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as parts from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue } from '../enqueue.ts'
import { task } from '../task.ts'
import { discardPackage } from './discard-package.ts'
import { mediaStep } from './failure.ts'
import { fetchParts } from './fetch-parts.ts'
import type { Mezzanine } from './media.ts'
import { planOf } from './mezzanine.ts'
import { planOnly } from './plan.ts'
import { publish } from './publish.ts'

/** Packages the smallest rendition of a film that cannot be watched as it is, so that it can be watched while the others are made. */
export const packageLowest = task({
  name: 'video/package-lowest',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 60 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal, own, progress, runId }) {
    const asset = await pipeline.find(db, assetId)
    const ladder = asset && planOf(asset)
    if (!ladder || asset.playable_at || !runId || (await parts.remaining(db, assetId)).first !== 0) return
    const plan = planOnly(ladder, 'lowest')
    const audio = (asset.mezzanine as Mezzanine).probe.audio !== null
    const bytes = await fetchParts(assetId, { plan, audio }, scratch, signal)
    await using folder = await scratch.attempt(bytes)
    const input = { parts: scratch.folderOf(assetId), plan, audio, folder: folder.path }
    const made = await mediaStep(() => media.packageLadder(input, { signal, onProgress: progress }))
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
