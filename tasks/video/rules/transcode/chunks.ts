import type { Timeline } from './media.ts'
import { frameAt, type Rational, rational, toNumber } from './rational.ts'

/** How output frames are cut. All values are frame counts, so nothing drifts with the length. */
export interface ChunkPlan {
  rate: Rational
  /** Number of frames between key frames (2 s). */
  gop: number
  /** Number of frames of a segment: three groups (6 s). */
  segment: number
  /** Number of frames of a chunk: whole segments, 12 s or more. */
  chunk: number
  count: number
  frames: number
}

export interface ChunkRange {
  first: number
  frames: number
}

/**
 * Returns the number of output frames. If the source’s rate is constant and kept, this is the source’s own count.
 * Otherwise, it counts the frames from the start of the video to the end of its last frame.
 */
export function outputFrames(timeline: Timeline, rate: Rational): number {
  if (timeline.constant && !timeline.lead && toNumber(timeline.rate) === toNumber(rate)) return timeline.frames
  return Math.max(1, frameAt(timeline.last - timeline.first + timeline.lastDuration, timeline.timeBase, rate))
}

/**
 * Returns the number of segments per chunk: two (12 s) up to 2 min, otherwise four (24 s). A killed worker loses one
 * chunk. Each chunk starts decoding at the previous key frame. So a chunk is also at least three times the source’s key
 * interval (waste up to 2.5 %), up to 60 s.
 */
function segmentsPerChunk(segmentSeconds: number, seconds: number, keyInterval: number): number {
  const wanted = Math.max(seconds <= 120 ? 12 : 24, Math.min(60, 3 * keyInterval))
  // 0.99, because three groups at 29.5 frames per second are 6.0 s minus a rounded frame, and two of them still count
  // as 12 s.
  return Math.max(1, Math.ceil((wanted / segmentSeconds) * 0.99))
}

/**
 * Cuts a timeline into chunks at an output rate, with the last frame repeated up to `least` frames. A rest shorter than
 * half a chunk is added to the previous chunk.
 */
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
