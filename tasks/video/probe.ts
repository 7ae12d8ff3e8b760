import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { largestScratch } from '#sql/jobs/workers.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { remux } from './remux.ts'
import { failAsset, reviveStep, runMediaStep } from './rules/transcode/failure.ts'
import { MediaFault } from './rules/transcode/media-fault.ts'

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
    await pipeline.setStage(db, assetId, 'probing')
    await runMediaStep(() => demandRoom(db, asset.bytes))
    const source = await scratch.fetch(assetId, sourceKey(assetId), signal)
    await runMediaStep(() => media.probe(source, { signal }))
    await own((tx) => enqueue(tx, remux, { assetId }, { subject: assetId, orgId: asset.org_id }))
  },
  giveUp: failAsset,
  revive: reviveStep,
})

/**
 * Rejects a file if no running worker has enough disk space for it. The first steps need space for the file and its
 * mezzanine, encoding only for the mezzanine.
 */
async function demandRoom(db: Db, bytes: number): Promise<void> {
  for (const [pool, needs] of [
    ['media-intake', 2 * bytes],
    ['media', bytes],
  ] as const) {
    const largest = await largestScratch(db, pool)
    if (largest === null || largest >= needs) continue
    throw new MediaFault('no_room', `${needs} bytes are needed, but the largest scratch disk of ${pool} has ${largest}`)
  }
}
