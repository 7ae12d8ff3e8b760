import type { VideoTrack } from '#tasks/video/engine.ts'
import type { MediaTools } from './media-tools.ts'

/** Whether a film is larger than 4K. */
export const isHuge = ({ width, height }: VideoTrack): boolean => width * height > 4096 * 2304

const isLarge = ({ width, height }: VideoTrack) => width * height > 2048 * 1152

/**
 * Threads of one encoding among `unfinished` of a film. While there are more of those than slots, all cores are busy without more threads,
 * which cost: a chunk of 1080p takes a tenth more CPU with two than with one (measured). The last chunks run on all cores.
 */
const threadsAmong = ({ threads, slots, share }: MediaTools, unfinished: number) =>
  unfinished > slots ? share : threads

/**
 * Threads of a film's decoder, and of its filters and encoders. Each holds pictures of its own: so a ladder keeps below 1.2 GiB of resident
 * memory, whatever its film. In HDR and with eight threads it takes 0.7 GiB at 1920x1080, 1.0 at 3840x2160 and 1.1 at 7680x4320 (measured).
 */
export function threadsFor(tools: MediaTools, video: VideoTrack, unfinished = 1): { decoder: number; encoder: number } {
  if (isHuge(video)) return { decoder: 1, encoder: 1 }
  const threads = threadsAmong(tools, unfinished)
  return { decoder: isLarge(video) ? Math.min(2, threads) : threads, encoder: threads }
}
