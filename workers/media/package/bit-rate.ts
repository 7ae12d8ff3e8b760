export interface MediaRange {
  bits: number
  seconds: number
}

/**
 * Returns the largest bit rate of any sequence of neighbouring ranges that lasts 0.5 to 1.5 times the target duration
 * (RFC 8216 4.1). The result is in bits per second and at least the mean. A single short range at the end does not
 * count.
 */
export function peakBitRate(ranges: readonly MediaRange[], target: number): number {
  let peak = meanBitRate(ranges)
  for (let from = 0; from < ranges.length; from++) {
    let [bits, seconds] = [0, 0]
    for (let to = from; to < ranges.length; to++) {
      const range = ranges[to] as MediaRange
      bits += range.bits
      seconds += range.seconds
      if (seconds > 1.5 * target) break
      if (seconds >= 0.5 * target) peak = Math.max(peak, bits / seconds)
    }
  }
  return Math.ceil(peak)
}

export function meanBitRate(ranges: readonly MediaRange[]): number {
  const bits = ranges.reduce((sum, range) => sum + range.bits, 0)
  const seconds = ranges.reduce((sum, range) => sum + range.seconds, 0)
  return Math.ceil(bits / seconds)
}
