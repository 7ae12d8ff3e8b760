export interface Point {
  at: number
  value: number
}

export interface Trend {
  samples: number
  /** Medians of the middle third and of the last third. */
  before: number
  after: number
  /** Slope of the trend line per hour: the median of the slopes between all pairs of points (Theil–Sen). */
  perHour: number
  /** True if both statistics rise by more than the bound. */
  rises: boolean
}

/** Maximum rise in the last third: a share of the value or an absolute number, whichever is greater. */
export interface Bound {
  share: number
  least: number
}

/** Maximum number of points, because the number of slopes grows quadratically. */
const mostPoints = 400

const leastSamples = 9

/**
 * Checks whether a series rises. Two statistics must agree, and peaks during faults do not affect either. First, the
 * medians of the last two thirds differ by more than the bound. A single late step can also cause this. Second, the
 * trend line gains as much in a third of the time. A single early step can also cause this. Steady growth causes both.
 */
export function findTrend(points: readonly Point[], bound: Bound): Trend | undefined {
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

/** Returns the median of the slopes between all pairs of points. Up to a third of the points can be outliers. */
function slopeOf(points: readonly Point[]): number {
  const every = Math.ceil(points.length / mostPoints)
  const some = points.filter((_, i) => i % every === 0)
  const slopes = some.flatMap((from, i) =>
    some.slice(i + 1).flatMap((to) => (to.at > from.at ? [(to.value - from.value) / (to.at - from.at)] : [])),
  )
  return median(slopes)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
