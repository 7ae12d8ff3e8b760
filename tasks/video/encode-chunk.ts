import { basename } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { imageKey } from '#sql/video/watermarks.ts'
import { task } from '../queue/task.ts'
import { workPrefix } from './rules/keys.ts'
import { failAsset, reviveFromStart, runMediaStep } from './rules/transcode/failure.ts'
import { finishPiece } from './rules/transcode/finish-piece.ts'
import { fetchMezzanine, readPlan } from './rules/transcode/mezzanine.ts'
import { getMaxChunkBytes, type Rungs, selectRenditions } from './rules/transcode/plan.ts'

export const getPieceKind = (rungs: Rungs): 'chunk' | 'first' => (rungs === 'lowest' ? 'first' : 'chunk')

export const encodeChunk = task({
  name: 'video/encode-chunk',
  pool: 'media',
  payload: z.object({ assetId: Id, number: z.int().min(0), rungs: z.enum(['all', 'lowest', 'others']).default('all') }),
  tracked: true,
  attempts: 4,
  timeout: 60 * 60_000,
  async run({ assetId, number, rungs }, { db, media, scratch, storage, signal, own, progress }) {
    const piece = { kind: getPieceKind(rungs), number }
    const asset = await pipeline.find(db, assetId)
    const plan = asset && readPlan(asset)
    if (!plan || (await pieces.isDone(db, assetId, piece))) return
    await pipeline.setStage(db, assetId, 'encoding')
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    const mark = asset.watermark
    const watermark = mark && { ...mark, path: await scratch.fetch(assetId, imageKey(mark.watermarkId), signal) }
    const wanted = selectRenditions(plan, rungs)
    await using folder = await scratch.attempt(getMaxChunkBytes(wanted, number))
    const input = {
      mezzanine,
      plan: wanted,
      index: number,
      folder: folder.path,
      unfinished: await pieces.unfinished(db, assetId, piece.kind),
      ...(watermark && { watermark }),
    }
    const made = await runMediaStep(() => media.encodeChunk(input, { signal, onProgress: progress }))
    for (const { path } of made.files) {
      const key = `${workPrefix(assetId)}${basename(path)}`
      await storage.upload(path, key, { contentType: 'video/mp4', signal })
      await scratch.keep(assetId, key, path)
    }
    await own((tx) => finishPiece(tx, asset, piece, made))
  },
  giveUp: failAsset,
  revive: reviveFromStart,
})
