import { type ChunkPlan, chunkFile, chunkRange, planChunks } from './chunks.ts'
import { countHeldFrames } from './film-length.ts'
import { outputRate } from './frame-rate.ts'
import { type ProcessingProfile, planLadder, type Rendition } from './ladder.ts'
import type { Mezzanine } from './media.ts'
import { toNumber } from './rational.ts'
import { type Sound, soundFile } from './sound-tracks.ts'

export interface VideoPlan {
  profile: ProcessingProfile
  /** x264 preset. `superfast` needs 0.62 of the CPU time of `veryfast` (measured with 1080p30). */
  preset: 'veryfast' | 'superfast'
  renditions: Rendition[]
  chunks: ChunkPlan
}

/** Plans the renditions (up to this many lines) and chunks of a mezzanine; `null` for audio only. */
export function planVideo(mezzanine: Mezzanine, profile: ProcessingProfile, lines?: number): VideoPlan | null {
  const { probe, timeline } = mezzanine
  if (!probe.video || !timeline) return null
  const rate = outputRate(timeline, profile)
  const preset = profile === 'fast_social' ? 'superfast' : 'veryfast'
  const chunks = planChunks(timeline, rate, countHeldFrames(mezzanine, rate))
  return { profile, preset, renditions: planLadder(probe.video, profile, rate, lines), chunks }
}

export const getDurationSeconds = ({ seconds }: Mezzanine, plan: VideoPlan | null): number =>
  plan ? plan.chunks.frames / toNumber(plan.chunks.rate) : seconds

export type Rungs = 'all' | 'lowest' | 'others'

export function selectRenditions(plan: VideoPlan, rungs: Rungs): VideoPlan {
  const { renditions } = plan
  if (rungs === 'all') return plan
  return { ...plan, renditions: rungs === 'lowest' ? renditions.slice(-1) : renditions.slice(0, -1) }
}

/** Returns the maximum size of a chunk over its renditions, in bytes. */
export function getMaxChunkBytes({ renditions, chunks }: VideoPlan, index: number): number {
  const seconds = chunkRange(chunks, index).frames / toNumber(chunks.rate)
  return renditions.reduce((sum, { maxRate, bufferSize }) => sum + (maxRate * seconds + bufferSize) / 8, 0)
}

export function pieceFiles(plan: VideoPlan | null, sounds: Sound[]): string[] {
  const names = plan?.renditions.map(({ name }) => name) ?? []
  const chunks = names.flatMap((name) => Array.from({ length: plan?.chunks.count ?? 0 }, (_, i) => chunkFile(name, i)))
  return [...chunks, ...sounds.map(({ place }) => soundFile(place))]
}

const last = 999

/**
 * Returns the priority of a step among the organisation’s jobs, 0 to 999. Lower values run first. Steps that make
 * videos playable run before steps that create better renditions. Short videos run before long videos. Each doubling of
 * the length adds to the value. Live has its own pools.
 */
export function priorityOf(seconds: number, rungs: Rungs): number {
  const doublings = Math.log2(1 + seconds / 10)
  return Math.min(last, rungs === 'lowest' ? 10 + Math.round(20 * doublings) : 400 + Math.round(40 * doublings))
}
