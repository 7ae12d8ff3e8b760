import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue } from '../enqueue.ts'
import { task } from '../task.ts'
import { failAsset, mediaStep, reviveStep } from './failure.ts'
import { remux } from './remux.ts'

/** Looks what the upload is, so that what can never play is refused in seconds. */
export const probe = task({
  name: 'video/probe',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 30 * 60_000,
  async run({ assetId }, { db, media, scratch, signal, own }) {
    const asset = await pipeline.find(db, assetId)
    if (!asset) return
    await pipeline.enter(db, assetId, 'probing')
    const source = await scratch.fetch(assetId, sourceKey(assetId), signal)
    await mediaStep(() => media.probe(source, { signal }))
    await own((tx) => enqueue(tx, remux, { assetId }, { subject: assetId, orgId: asset.org_id }))
  },
  giveUp: failAsset,
  revive: reviveStep,
})
