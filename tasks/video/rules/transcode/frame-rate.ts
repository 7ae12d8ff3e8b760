import type { ProcessingProfile } from './ladder.ts'
import type { Timeline } from './media.ts'
import { type Rational, rational, toNumber } from './rational.ts'

/** Common rates of sources. 1001 are the NTSC rates. */
export const commonRates: readonly Rational[] = [
  [12, 1],
  [25, 2],
  [15, 1],
  [24000, 1001],
  [24, 1],
  [25, 1],
  [30000, 1001],
  [30, 1],
  [48, 1],
  [50, 1],
  [60000, 1001],
  [60, 1],
  [90, 1],
  [100, 1],
  [120000, 1001],
  [120, 1],
  [240, 1],
].map(([num, den]) => rational(num as number, den))

const caps: Record<ProcessingProfile, number> = { standard_vod: 60, fast_social: 30 }

/**
 * Returns the output frame rate. Above the profile’s limit, only every nth frame is kept (120 → 60, 50 → 25, 1000 →
 * 58.8), which keeps motion smooth. Below 1, frames are repeated, because segments with one frame per minute are
 * useless.
 */
export function outputRate(timeline: Timeline, profile: ProcessingProfile): Rational {
  const fps = toNumber(timeline.rate)
  if (fps < 1) return rational(timeline.rate.num * Math.ceil(1 / fps), timeline.rate.den)
  return rational(timeline.rate.num, timeline.rate.den * Math.ceil(fps / (caps[profile] + 0.001)))
}
