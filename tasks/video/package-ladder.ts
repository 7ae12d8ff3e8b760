import type { Db } from '#sql/db.ts'
import * as captions from '#sql/video/captions.ts'
import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { markRecordingPlayable } from '../live/rules/broadcasts.ts'
import { enqueue, enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { enqueueDiscard } from './discard.ts'
import { retirePackages } from './retire-packages.ts'
import { emitAsset } from './rules/emit-asset.ts'
import { failAsset, reviveFromStart } from './rules/transcode/failure.ts'
import { joinLadder, packaging } from './rules/transcode/join-ladder.ts'
import { readPlan } from './rules/transcode/mezzanine.ts'
import { transcribe } from './transcribe.ts'

async function enqueueWaiting(tx: Db, { id, org_id: orgId }: { id: string; org_id: string }): Promise<void> {
  const about = { subject: id, orgId, priority: 20 }
  const payloads = (await captions.listWaiting(tx, id)).map((captionsId) => ({ captionsId }))
  if (payloads.length > 0) await enqueueMany(tx, transcribe, payloads, about)
}

const retireMs = 24 * 60 * 60_000

export const packageLadder = task({
  name: 'video/package-ladder',
  ...packaging,
  async run({ assetId }, attempt) {
    const { db, scratch, own, runId } = attempt
    const asset = await pipeline.find(db, assetId)
    if (!asset?.mezzanine || !runId) return
    // This job was added before an operator restarted the asset. The pieces are being created again.
    if ((await pieces.remaining(db, assetId)).all > 0) return
    await pipeline.setStage(db, assetId, 'packaging')
    const record = await joinLadder(asset, { plan: readPlan(asset), packageId: runId }, attempt)
    await own(async (tx) => {
      // Read in the transaction, because the first package may have been served in the meantime.
      const before = await pipeline.lockPlayable(tx, assetId)
      if (!(await pipeline.markReady(tx, assetId, runId))) return await enqueueDiscard(tx, asset)
      await record(tx)
      await markRecordingPlayable(tx, assetId)
      await enqueueDiscard(tx, asset)
      const at = new Date(Date.now() + retireMs)
      await enqueue(tx, retirePackages, { assetId }, { orgId: asset.org_id, at, key: `retire:${assetId}` })
      if (before === null) await emitAsset(tx, assetId, 'video.asset.playable')
      await emitAsset(tx, assetId, 'video.asset.ready')
      await enqueueWaiting(tx, asset)
    })
    await scratch.forget(assetId)
  },
  giveUp: failAsset,
  revive: reviveFromStart,
})
