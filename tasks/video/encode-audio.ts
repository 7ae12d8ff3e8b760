import { basename } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { task } from '../queue/task.ts'
import { workPrefix } from './rules/keys.ts'
import { failAsset, reviveFromStart, runMediaStep } from './rules/transcode/failure.ts'
import { finishPiece } from './rules/transcode/finish-piece.ts'
import { fetchMezzanine, readPlan } from './rules/transcode/mezzanine.ts'
import { getDurationSeconds } from './rules/transcode/plan.ts'
import { listAudioTracks, toLeftOut } from './rules/transcode/sound-tracks.ts'

/** Size of AAC audio at 128 kbit/s in its container, in bytes per second. */
const bytesPerSecond = 17_000

/**
 * Encodes a whole audio track. If it were encoded in chunks, each chunk would add 21 ms of priming, which causes clicks
 * and drift.
 */
export const encodeAudio = task({
  name: 'video/encode-audio',
  pool: 'media-intake',
  payload: z.object({ assetId: Id, number: z.int().min(0).default(0) }),
  tracked: true,
  attempts: 4,
  timeout: 2 * 60 * 60_000,
  async run({ assetId, number }, { db, media, scratch, storage, signal, own, progress }) {
    const piece = { kind: 'audio', number } as const
    const asset = await pipeline.find(db, assetId)
    if (!asset?.mezzanine || (await pieces.isDone(db, assetId, piece))) return
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    const seconds = getDurationSeconds(mezzanine, readPlan(asset))
    await using folder = await scratch.attempt(seconds * bytesPerSecond)
    const made = await runMediaStep(() =>
      media.encodeAudio({ mezzanine, place: number, seconds, folder: folder.path }, { signal, onProgress: progress }),
    )
    const key = `${workPrefix(assetId)}${basename(made.path)}`
    await storage.upload(made.path, key, { contentType: 'audio/mp4', signal })
    await scratch.keep(assetId, key, made.path)
    await own(async (tx) => {
      const track = listAudioTracks(mezzanine.probe)[number]
      if (made.undecodable && track) await pipeline.addLeftOutTrack(tx, assetId, toLeftOut(track, 'undecodable'))
      await finishPiece(tx, asset, piece, made)
    })
  },
  giveUp: failAsset,
  revive: reviveFromStart,
})
