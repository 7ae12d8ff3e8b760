/** Upper bounds of the buckets in milliseconds. Slower starts are in one more bucket. */
const bounds = [100, 200, 300, 400, 500, 700, 1000, 1400, 2000, 3000, 4000, 6000, 10_000, 20_000, 60_000]

export const createHistogram = (): number[] => new Array(bounds.length + 1).fill(0)

export function countStart(histogram: number[], ms: number): void {
  const found = bounds.findIndex((bound) => ms <= bound)
  const bucket = found === -1 ? bounds.length : found
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

/**
 * Returns the `share` quantile (0 to 1) in milliseconds, interpolated within a bucket. `null` without starts. 60,000
 * means 60,000 or more.
 */
export function startupAt(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  let left = total * share
  if (total === 0) return null
  for (const [bucket, upper] of bounds.entries()) {
    const count = histogram[bucket] ?? 0
    const lower = bounds[bucket - 1] ?? 0
    if (count > 0 && left <= count) return Math.round(lower + ((upper - lower) * left) / count)
    left -= count
  }
  return bounds.at(-1) ?? null
}
