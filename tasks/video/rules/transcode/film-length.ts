import type { Mezzanine, Timeline } from './media.ts'
import { type Rational, toNumber } from './rational.ts'

/** Sound that outlasts the picture by no more than this, in seconds, is cut: encoders fill up their last block. */
const padding = 0.1

/** From the beginning of the film to the end of its last picture, in seconds. */
export const pictureSeconds = ({ first, last, lastDuration, timeBase }: Timeline): number =>
  (last - first + lastDuration) * toNumber(timeBase)

/** For how many seconds the first picture is held, as the sound begins before it. */
export const leadSeconds = (timeline: Timeline | null): number =>
  timeline ? (timeline.lead ?? 0) * toNumber(timeline.timeBase) : 0

/** For how many seconds the last picture is held, as the sound goes on. */
export function heldSeconds({ timeline, seconds }: Pick<Mezzanine, 'timeline' | 'seconds'>): number {
  const over = timeline ? seconds - pictureSeconds(timeline) : 0
  return over > padding ? over : 0
}

/** Frames of a film as long as its sound; 0 when the picture is as long by itself. */
export function heldFrames(film: Pick<Mezzanine, 'timeline' | 'seconds'>, rate: Rational): number {
  // A thousandth less, as times are sums of ticks.
  return heldSeconds(film) > 0 ? Math.ceil(film.seconds * toNumber(rate) - 0.001) : 0
}
