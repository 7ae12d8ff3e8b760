import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { task } from '../queue/task.ts'
import { discardFirstPackage, serveFirstPackage } from './rules/transcode/first-package.ts'
import { joinLadder, packaging } from './rules/transcode/join-ladder.ts'
import { readPlan } from './rules/transcode/mezzanine.ts'
import { selectRenditions } from './rules/transcode/plan.ts'

/**
 * Packages the smallest rendition, so that viewers can watch the video early. For videos that browsers cannot play
 * without conversion.
 */
export const packageLowest = task({
  name: 'video/package-lowest',
  ...packaging,
  async run({ assetId }, attempt) {
    const { db, own, runId: packageId } = attempt
    const asset = await pipeline.find(db, assetId)
    const ladder = asset && readPlan(asset)
    if (!ladder || asset.playable_at || !packageId || (await pieces.remaining(db, assetId)).first !== 0) return
    const record = await joinLadder(asset, { plan: selectRenditions(ladder, 'lowest'), packageId }, attempt)
    await own((tx) => serveFirstPackage(tx, { assetId, packageId }, record))
  },
  giveUp: discardFirstPackage,
})
