import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { task } from '../queue/task.ts'
import { publish } from './rules/hls/publish.ts'
import { runMediaStep } from './rules/transcode/failure.ts'
import { discardFirstPackage, serveFirstPackage } from './rules/transcode/first-package.ts'
import { fetchMezzanine } from './rules/transcode/mezzanine.ts'

/**
 * Packages a source that players can play without conversion, so that viewers can watch it seconds after its upload.
 */
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
    await pipeline.setStage(db, assetId, 'packaging_source')
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    await using folder = await scratch.attempt(mezzanine.bytes)
    const made = await runMediaStep(() =>
      media.packageCopy({ mezzanine, folder: folder.path }, { signal, onProgress: progress }),
    )
    const record = await publish(assetId, runId, made, storage, signal)
    await own((tx) => serveFirstPackage(tx, { assetId, packageId: runId }, record))
  },
  giveUp: discardFirstPackage,
})
