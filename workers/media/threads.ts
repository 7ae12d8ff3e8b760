import type { VideoTrack } from '#tasks/video/engine.ts'
import type { MediaTools } from './media-tools.ts'

export const isHuge = ({ width, height }: VideoTrack): boolean => width * height > 4096 * 2304

const isLarge = ({ width, height }: VideoTrack) => width * height > 2048 * 1152

/**
 * Returns the number of threads for one of `unfinished` encodings of a video. While there are more encodings than
 * slots, all cores are busy, and more threads are slower. A 1080p chunk needs a tenth more CPU with two threads than
 * with one (measured). The last chunks run on all cores.
 */
const threadsAmong = ({ threads, slots, share }: MediaTools, unfinished: number) =>
  unfinished > slots ? share : threads

/**
 * Returns the number of threads of a decoder, and of its filters and encoders. Each thread holds frames, so the number
 * keeps encoding below 1.2 GiB of memory for any video. In HDR and with eight threads, encoding needs 0.7 GiB at
 * 1920x1080, 1.0 at 3840x2160 and 1.1 at 7680x4320 (measured).
 */
export function threadsFor(tools: MediaTools, video: VideoTrack, unfinished = 1): { decoder: number; encoder: number } {
  if (isHuge(video)) return { decoder: 1, encoder: 1 }
  const threads = threadsAmong(tools, unfinished)
  return { decoder: isLarge(video) ? Math.min(2, threads) : threads, encoder: threads }
}
