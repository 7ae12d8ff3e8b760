/** A value and when it was measured, in seconds. */
export interface Point {
  at: number
  value: number
}

/** What two robust statistics say of a series after its warm-up. */
export interface Trend {
  samples: number
  /** Medians of the middle third of the time, and of the last one. */
  before: number
  after: number
  /** What the line through it gains an hour: the median of the slopes between any two points (Theil–Sen). */
  perHour: number
  /** Whether both say that it rose by more than the bound. */
  rises: boolean
}

/** By how much a series may be higher in its last third: a share of what it was, or so much, whichever is more. */
export interface Bound {
  share: number
  least: number
}

/** Slopes are taken between so many points at most, as their number grows with the square. */
const mostPoints = 400

/** Samples below which a series says nothing. */
const leastSamples = 9

/**
 * Whether a series goes up. Two statistics must agree, each of which bears a fault's peaks: the medians of the last two thirds differ
 * by more than the bound, which a single step late in the run brings about too, and the line through all of it gains as much in a
 * third of the time, which a single step early in the run brings about. What grows steadily does both.
 */
export function trendOf(points: readonly Point[], bound: Bound): Trend | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < leastSamples) return undefined
  const third = (last.at - first.at) / 3
  const median3 = (part: number) =>
    median(
      points.filter(({ at }) => at >= first.at + part * third && at <= first.at + (part + 1) * third).map(numberOf),
    )
  const [before, after] = [median3(1), median3(2)]
  const slope = slopeOf(points)
  const allowed = Math.max(bound.least, bound.share * before)
  return {
    samples: points.length,
    before,
    after,
    perHour: slope * 3600,
    rises: after - before > allowed && slope * third > allowed,
  }
}

const numberOf = ({ value }: Point) => value

/** The median of the slopes between any two points, of which a third may be anything without moving it. */
function slopeOf(points: readonly Point[]): number {
  const every = Math.ceil(points.length / mostPoints)
  const some = points.filter((_, i) => i % every === 0)
  const slopes = some.flatMap((from, i) =>
    some.slice(i + 1).flatMap((to) => (to.at > from.at ? [(to.value - from.value) / (to.at - from.at)] : [])),
  )
  return median(slopes)
}

/** The middle one of some numbers; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
