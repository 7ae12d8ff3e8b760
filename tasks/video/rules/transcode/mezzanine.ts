import type { Work } from '#sql/video/pipeline.ts'
import type { Scratch } from '../../pools.ts'
import type { Mezzanine } from './media.ts'
import type { VideoPlan } from './plan.ts'

export async function fetchMezzanine(asset: Work, scratch: Scratch, signal: AbortSignal): Promise<Mezzanine> {
  const mezzanine = asset.mezzanine as Mezzanine
  return { ...mezzanine, path: await scratch.fetch(asset.id, mezzanine.path, signal) }
}

export const readPlan = (asset: Work): VideoPlan | null => asset.plan as VideoPlan | null
