import type { Mezzanine, Timeline } from './media.ts'
import { type Rational, toNumber } from './rational.ts'

/**
 * Maximum length in seconds of audio after the end of the video that is cut, because encoders fill their last block.
 */
const padding = 0.1

/** Returns the seconds from the start of the video to the end of its last frame. */
export const getVideoSeconds = ({ first, last, lastDuration, timeBase }: Timeline): number =>
  (last - first + lastDuration) * toNumber(timeBase)

/** Returns the seconds for which the first frame is held, because the audio starts earlier. */
export const getLeadSeconds = (timeline: Timeline | null): number =>
  timeline ? (timeline.lead ?? 0) * toNumber(timeline.timeBase) : 0

/** Returns the seconds for which the last frame is held, because the audio is longer. */
export function getHeldSeconds({ timeline, seconds }: Pick<Mezzanine, 'timeline' | 'seconds'>): number {
  const over = timeline ? seconds - getVideoSeconds(timeline) : 0
  return over > padding ? over : 0
}

/** Returns the frames of a video with the length of its audio; 0 if the audio is not longer. */
export function countHeldFrames(film: Pick<Mezzanine, 'timeline' | 'seconds'>, rate: Rational): number {
  // A thousandth less, because times are sums of ticks.
  return getHeldSeconds(film) > 0 ? Math.ceil(film.seconds * toNumber(rate) - 0.001) : 0
}
