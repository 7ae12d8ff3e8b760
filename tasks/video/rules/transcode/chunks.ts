import type { Timeline } from './media.ts'
import { frameAt, type Rational, rational, toNumber } from './rational.ts'

/** How the output frames are cut: everything is a number of frames, so nothing drifts with the length. */
export interface ChunkPlan {
  rate: Rational
  /** Frames from one key frame to the next (2 s). */
  gop: number
  /** Frames of a segment: three groups (6 s). */
  segment: number
  /** Frames of a chunk: whole segments, 12 s or more. */
  chunk: number
  count: number
  frames: number
}

/** The frames of one chunk: the number of the first, and how many. */
export interface ChunkRange {
  first: number
  frames: number
}

/** Frames that a timeline fills at a rate: the source's own count when its rate is constant and kept, else from the beginning of the film to the end of its last frame. */
export function outputFrames(timeline: Timeline, rate: Rational): number {
  if (timeline.constant && !timeline.lead && toNumber(timeline.rate) === toNumber(rate)) return timeline.frames
  return Math.max(1, frameAt(timeline.last - timeline.first + timeline.lastDuration, timeline.timeBase, rate))
}

/**
 * Segments in a chunk. Two (12 s) up to 2 min, else four (24 s): a killed worker costs one chunk, and each chunk decodes again from
 * the key frame before it, so a chunk is also at least three times the source's key interval (waste of 2.5 % at most), up to 60 s.
 */
function segmentsPerChunk(segmentSeconds: number, seconds: number, keyInterval: number): number {
  const wanted = Math.max(seconds <= 120 ? 12 : 24, Math.min(60, 3 * keyInterval))
  // 0.99: three groups of 29.5 frames per second are 6.0 s less a rounded frame, and two of them still count as 12 s.
  return Math.max(1, Math.ceil((wanted / segmentSeconds) * 0.99))
}

/** Cuts a timeline, its last picture held until there are `least` frames, into chunks at an output rate; a tail shorter than half a chunk is left to the chunk before it. */
export function planChunks(timeline: Timeline, rate: Rational, least = 0): ChunkPlan {
  const frames = Math.max(least, outputFrames(timeline, rate))
  const gop = Math.max(1, Math.round((2 * rate.num) / rate.den))
  const segment = 3 * gop
  const keyInterval = timeline.keyInterval * toNumber(timeline.timeBase)
  const segmentSeconds = segment / toNumber(rate)
  const chunk = segment * segmentsPerChunk(segmentSeconds, frames / toNumber(rate), keyInterval)
  const count = Math.max(1, Math.round(frames / chunk))
  return { rate: rational(rate.num, rate.den), gop, segment, chunk, count, frames }
}

/** The frames of chunk `index`, counted from 0. */
export function chunkRange(plan: ChunkPlan, index: number): ChunkRange {
  if (!Number.isInteger(index) || index < 0 || index >= plan.count) {
    throw new RangeError(`Chunk ${index} is not one of ${plan.count}.`)
  }
  const first = index * plan.chunk
  return { first, frames: index === plan.count - 1 ? plan.frames - first : plan.chunk }
}

export function chunkFile(rendition: string, index: number): string {
  return `${rendition}_${String(index).padStart(5, '0')}.mp4`
}
