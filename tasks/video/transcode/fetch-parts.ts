import { stat } from 'node:fs/promises'
import type { Scratch } from '../../queue/pools.ts'
import { workPrefix } from '../keys.ts'
import { partFiles, type VideoPlan } from './plan.ts'
import type { Sound } from './sound-tracks.ts'

/** Fetches all that a plan is packaged from into the asset's scratch folder; answers with its bytes. */
export async function fetchParts(
  assetId: string,
  { plan, sounds }: { plan: VideoPlan | null; sounds: Sound[] },
  scratch: Scratch,
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0
  for (const file of partFiles(plan, sounds)) {
    const path = await scratch.fetch(assetId, `${workPrefix(assetId)}${file}`, signal)
    bytes += (await stat(path)).size
  }
  return bytes
}
