import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type { Work } from '#sql/video/pipeline.ts'
import type { Tools } from '../../../pools.ts'
import type { Attempt } from '../../../queue/task.ts'
import type { Scratch } from '../../pools.ts'
import { publish } from '../hls/publish.ts'
import { workPrefix } from '../keys.ts'
import { runMediaStep } from './failure.ts'
import type { Mezzanine } from './media.ts'
import { pieceFiles, type VideoPlan } from './plan.ts'
import { type Sound, selectAudioTracks } from './sound-tracks.ts'

/** Facts of the tasks that join a ladder. */
export const packaging = {
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 60 * 60_000,
} as const

/**
 * Joins the chunks and audio of a plan into a package and stores it under the run's ID. Returns a function that records
 * it in the transaction that serves it.
 */
export async function joinLadder(
  asset: Work,
  { plan, packageId }: { plan: VideoPlan | null; packageId: string },
  { media, scratch, storage, signal, progress }: Tools['media-intake'] & Attempt,
): Promise<(tx: Db) => Promise<void>> {
  const sounds = selectAudioTracks((asset.mezzanine as Mezzanine).probe, asset.left_out)
  const bytes = await fetchPieces(asset.id, { plan, sounds }, scratch, signal)
  await using folder = await scratch.attempt(bytes)
  const input = { pieces: scratch.folderOf(asset.id), plan, sounds, folder: folder.path }
  const made = await runMediaStep(() => media.packageLadder(input, { signal, onProgress: progress }))
  return await publish(asset.id, packageId, made, storage, signal)
}

/** Downloads all files of a plan to the asset's scratch folder; returns their bytes. */
async function fetchPieces(
  assetId: string,
  { plan, sounds }: { plan: VideoPlan | null; sounds: Sound[] },
  scratch: Scratch,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0
  for (const file of pieceFiles(plan, sounds)) {
    const path = await scratch.fetch(assetId, `${workPrefix(assetId)}${file}`, signal)
    bytes += (await stat(path)).size
  }
  return bytes
}
