import { commonRates } from '../transcode/frame-rate.ts'
import type { Timeline } from '../transcode/media.ts'
import { type Rational, rational, toNumber } from '../transcode/rational.ts'

/** The video packets of a file in decoding order; times in ticks. */
export interface TimelineSource {
  timeBase: Rational
  packets: { pts: number; duration: number; key: boolean; hidden: boolean }[]
  /** Rates from the container, tried after the common ones. */
  hints: (Rational | null)[]
}

/**
 * Maximum deviation from the grid of a constant rate, in frames: half a frame minus the rounding of containers with 1
 * ms ticks.
 */
const slack = 0.45

function worstOffset(times: number[], ticksPerFrame: number): number {
  const first = times[0] ?? 0
  let worst = 0
  for (const [i, time] of times.entries()) worst = Math.max(worst, Math.abs((time - first) / ticksPerFrame - i))
  return worst
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Returns a rate near `fps` whose numerator fits into a track's time scale. */
function nearby(fps: number): Rational {
  return rational(Math.max(1, Math.round(fps * 1000)), 1000)
}

/** Returns the constant rate that fits all times: the best of the container's rate, the common rates and the mean. */
function constantRate(times: number[], { timeBase, hints }: TimelineSource): Rational | null {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  if (times.length < 2 || span <= 0) return null
  const mean = (times.length - 1) / (span * toNumber(timeBase))
  const near = (rate: Rational) => Math.abs(toNumber(rate) / mean - 1) < 0.02 || times.length < 50
  const usable = hints.filter((hint) => hint !== null && hint.num <= 1_000_000)
  const exact = rational((times.length - 1) * timeBase.den, span * timeBase.num)
  const candidates = [...commonRates, ...(usable as Rational[]), exact.num <= 1_000_000 ? exact : nearby(mean)].filter(
    near,
  )
  let best: Rational | null = null
  let least = slack
  for (const rate of candidates) {
    const worst = worstOffset(times, 1 / (toNumber(rate) * toNumber(timeBase)))
    // A later candidate must fit clearly better. For example, 29.97 in a video of 1 ms ticks is 30000/1001.
    if (worst < least * 0.7 || (best === null && worst < least)) {
      best = rate
      least = Math.max(worst, 0.001)
    }
  }
  return best
}

function typicalRate(gaps: number[], timeBase: Rational): Rational {
  const gap = median(gaps) * toNumber(timeBase)
  if (!(gap > 0)) return rational(30)
  const fps = 1 / gap
  const off = (rate: Rational) => Math.abs(toNumber(rate) / fps - 1)
  const close = commonRates.reduce((best, rate) => (off(rate) < off(best) ? rate : best))
  if (off(close) < 0.03) return close
  return commonRates.find((rate) => toNumber(rate) >= fps) ?? rational(Math.round(fps))
}

function keyFacts({ packets }: TimelineSource, first: number, end: number) {
  const keys = packets.filter(({ key }) => key).map(({ pts }) => pts)
  const marks = [Math.min(first, ...keys.slice(0, 1)), ...keys, end]
  let keyInterval = 0
  for (const [i, mark] of marks.entries()) keyInterval = Math.max(keyInterval, mark - (marks[i - 1] ?? mark))
  let key = Number.NEGATIVE_INFINITY
  let openGop = false
  for (const packet of packets) {
    if (packet.key) key = packet.pts
    else if (packet.pts < key) openGop = true
  }
  return { keyInterval, openGop }
}

/** Summarises the display times of frames; `null` if no frame is shown. */
export function summariseTimeline(source: TimelineSource): Timeline | null {
  const shown = source.packets.filter(({ hidden }) => !hidden).toSorted((a, b) => a.pts - b.pts)
  const times = shown.map(({ pts }) => pts)
  const [first] = times
  const final = shown.at(-1)
  if (first === undefined || !final) return null
  const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
  const constant = constantRate(times, source)
  const lastDuration = final.duration || median(gaps)
  const rate = constant ?? typicalRate(gaps.length > 0 ? gaps : [lastDuration], source.timeBase)
  return {
    timeBase: source.timeBase,
    first,
    last: final.pts,
    lastDuration,
    frames: times.length,
    rate,
    constant: constant !== null,
    ...keyFacts(source, first, final.pts + lastDuration),
    trimmed: shown.length < source.packets.length,
  }
}
