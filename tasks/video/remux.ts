import { basename } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as plans from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue, enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { encodeAudio } from './encode-audio.ts'
import { encodeChunk, getPieceKind } from './encode-chunk.ts'
import { packageSource } from './package-source.ts'
import { poster } from './poster.ts'
import { mezzanineKey } from './rules/keys.ts'
import { chunkRange } from './rules/transcode/chunks.ts'
import { isCopyable } from './rules/transcode/copyable.ts'
import { failAsset, reviveStep, runMediaStep } from './rules/transcode/failure.ts'
import { displaySize } from './rules/transcode/ladder.ts'
import type { Mezzanine } from './rules/transcode/media.ts'
import {
  getDurationSeconds,
  planVideo,
  priorityOf,
  type Rungs,
  selectRenditions,
  type VideoPlan,
} from './rules/transcode/plan.ts'
import { toNumber } from './rules/transcode/rational.ts'
import { listAudioTracks } from './rules/transcode/sound-tracks.ts'

/** Remuxes the upload into an indexed file, which can be cut at exact frames. Plans and enqueues all later steps. */
export const remux = task({
  name: 'video/remux',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 60 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal, own, progress }) {
    const asset = await pipeline.find(db, assetId)
    if (!asset) return
    await pipeline.setStage(db, assetId, 'remuxing')
    const source = await scratch.fetch(assetId, sourceKey(assetId), signal)
    await using folder = await scratch.attempt(asset.bytes)
    const mezzanine = await runMediaStep(() =>
      media.mezzanine({ source, folder: folder.path }, { signal, onProgress: progress }),
    )
    const key = mezzanineKey(assetId, basename(mezzanine.path))
    await storage.upload(mezzanine.path, key, { contentType: 'application/octet-stream', signal })
    await scratch.keep(assetId, key, mezzanine.path)
    const kept = { ...mezzanine, path: key }
    const { video_lines } = await plans.findForOrganisation(db, asset.org_id)
    const plan = planVideo(mezzanine, asset.profile, video_lines)
    await own((tx) => fanOut(tx, asset, kept, plan))
  },
  giveUp: failAsset,
  revive: reviveStep,
})

/** Stores the plan and enqueues its steps once. A second run finds the plan and adds nothing. */
async function fanOut(tx: Db, asset: pipeline.Work, mezzanine: Mezzanine, plan: VideoPlan | null): Promise<void> {
  // A copy would show the video without its watermark.
  const copied = isCopyable(mezzanine) && !asset.watermark
  const chunks = plan ? chunksOf(plan, copied) : []
  const units = chunks.reduce((sum, chunk) => sum + chunk.units, 0)
  if (!(await pipeline.setPlan(tx, asset.id, { mezzanine, plan, units, facts: factsOf(mezzanine, plan) }))) return
  const sounds = listAudioTracks(mezzanine.probe).map((_, number) => ({ kind: 'audio' as const, number, units: 0 }))
  const made = chunks.map(({ rungs, number, units }) => ({ kind: getPieceKind(rungs), number, units }))
  await pieces.insertMany(tx, asset.id, [...sounds, ...made])

  const about = { subject: asset.id, orgId: asset.org_id }
  const assetId = asset.id
  const seconds = getDurationSeconds(mezzanine, plan)
  if (copied) await enqueue(tx, packageSource, { assetId }, about)
  // This step does not wait for packaging, which deletes the mezzanine that the poster needs.
  await enqueue(tx, poster, { assetId }, about)
  const heard = sounds.map(({ number }) => ({ assetId, number }))
  await enqueueMany(tx, encodeAudio, heard, () => ({ ...about, priority: priorityOf(seconds, 'lowest') }))
  const jobs = chunks.map(({ rungs, number }) => ({ assetId, number, rungs }))
  const waits = (index: number) => ({ ...about, priority: priorityOf(seconds, chunks[index]?.rungs ?? 'all') })
  await enqueueMany(tx, encodeChunk, jobs, waits)
}

interface Chunk {
  rungs: Rungs
  number: number
  units: number
}

/**
 * Returns the chunks to encode. If the copy is not playable, the smallest rendition is encoded first, provided this is
 * much faster than encoding all.
 */
function chunksOf(plan: VideoPlan, copied: boolean): Chunk[] {
  const goesFirst = !copied && plan.renditions.length > 1 && plan.chunks.count > 1
  const order: Rungs[] = goesFirst ? ['lowest', 'others'] : ['all']
  return order.flatMap((rungs) =>
    Array.from({ length: plan.chunks.count }, (_, number) => ({
      rungs,
      number,
      units: chunkUnits(plan, rungs, number),
    })),
  )
}

function chunkUnits(plan: VideoPlan, rungs: Rungs, number: number): number {
  const pixels = selectRenditions(plan, rungs).renditions.reduce((sum, { width, height }) => sum + width * height, 0)
  return (chunkRange(plan.chunks, number).frames * pixels) / 1e6
}

function factsOf(mezzanine: Mezzanine, plan: VideoPlan | null): pipeline.Facts {
  const { probe, timeline } = mezzanine
  const facts = { duration_seconds: getDurationSeconds(mezzanine, plan), left_out: probe.leftOut ?? [] }
  if (!probe.video || !timeline) return { ...facts, width: null, height: null, frame_rate: null }
  const { width, height } = displaySize(probe.video)
  return { ...facts, width: Math.round(width), height: Math.round(height), frame_rate: toNumber(timeline.rate) }
}
