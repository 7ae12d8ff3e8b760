import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { ClippedFrom } from '#sql/video/clipped-from.ts'
import * as clips from '#sql/video/clips.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import type { MediaEngine } from './engine.ts'
import { probe } from './probe.ts'
import { readClipCaptions, storeClipCaptions } from './rules/clips/copy-captions.ts'
import { type ClipMeans, type ClipParts, fetchFromAsset } from './rules/clips/from-asset.ts'
import { fetchFromBroadcast } from './rules/clips/from-broadcast.ts'
import { failAsset, reviveStep, runMediaStep } from './rules/transcode/failure.ts'
import { MediaFault } from './rules/transcode/media-fault.ts'

/** Maximum disk space for the segments and the clip, in bytes per second: video of 20 Mbit/s, twice, and audio. */
const bytesPerSecond = 6_000_000

/** Cuts a clip from the served segments of its origin. The clip is then processed like an upload. */
export const clip = task({
  name: 'video/clip',
  pool: 'media',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 2 * 60 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal, own, progress }) {
    const [asset, from] = await Promise.all([pipeline.find(db, assetId), clips.findWork(db, assetId)])
    if (!asset || !from) return
    await using folder = await scratch.attempt((from.end - from.start + 30) * bytesPerSecond)
    const means = { db, storage, signal, folder: folder.path }
    const parts = await runMediaStep(() => fetchParts(from, media, means))
    const { extension, contentType } = containerFor(parts)
    const output = join(folder.path, `clip.${extension}`)
    const bytes = await runMediaStep(() => media.clip({ ...parts, output }, { signal, onProgress: progress }))
    await storage.upload(output, sourceKey(assetId), { contentType, signal })
    const texts = await readClipCaptions(from, means)
    await own(async (tx) => {
      if (!(await clips.setCut(tx, assetId, bytes))) return
      await storeClipCaptions(tx, asset, texts)
      await enqueue(tx, probe, { assetId }, { subject: assetId, orgId: asset.org_id })
    })
  },
  giveUp: failAsset,
  revive: reviveStep,
})

async function fetchParts(from: ClippedFrom, media: MediaEngine, means: ClipMeans): Promise<ClipParts> {
  if (from.broadcastId !== null) return await fetchFromBroadcast(from.broadcastId, from, { ...means, media })
  if (from.assetId !== null) return await fetchFromAsset(from.assetId, from, means)
  throw new MediaFault('source_deleted')
}

/** MP4 has no BCP 47 languages, so several named tracks need Matroska. */
const containerFor = ({ sounds }: ClipParts) =>
  sounds.some(({ language, title }) => language || title)
    ? { extension: 'mkv', contentType: 'video/x-matroska' }
    : { extension: 'mp4', contentType: 'video/mp4' }
