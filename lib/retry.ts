/**
 * Returns the seconds of a `Retry-After` header, which contains a number or a date (RFC 9110 §10.2.3). The result is at
 * most `most`. Returns null for other values.
 */
export function parseRetryAfter(
  header: string | string[] | undefined,
  { most = 86_400, now = Date.now() }: { most?: number; now?: number } = {},
): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000
  return Number.isNaN(seconds) ? null : Math.min(Math.max(Math.ceil(seconds), 0), most)
}

export interface BackOff {
  first: number
  factor: number
  most: number
}

export const getBackOffDelay = ({ first, factor, most }: BackOff, failures: number): number =>
  // After 50 failures, every back-off has reached its maximum. This limit prevents an overflow of the factor.
  Math.min(first * factor ** Math.min(failures, 50), most)

/**
 * Changes a delay randomly by up to `share`, so that jobs that failed at the same time are not retried at the same
 * time.
 */
export const addJitter = (delay: number, share: number, random = Math.random()): number =>
  delay * (1 - share + 2 * share * random)
