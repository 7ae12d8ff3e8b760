/** Seconds to wait of a `Retry-After` header: a number of them or a date (RFC 9110 §10.2.3); at most `most`, null for anything else. */
export function retryAfterOf(
  header: string | string[] | undefined,
  { most = 86_400, now = Date.now() }: { most?: number; now?: number } = {},
): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000
  return Number.isNaN(seconds) ? null : Math.min(Math.max(Math.ceil(seconds), 0), most)
}

/** A delay that grows with each failure by the same factor, in any unit. */
export interface BackOff {
  first: number
  factor: number
  most: number
}

/** The delay after so many failures before this one. */
export const backOff = ({ first, factor, most }: BackOff, failures: number): number =>
  // Beyond 50 every back-off is at its longest, and no factor overflows.
  Math.min(first * factor ** Math.min(failures, 50), most)

/** A delay that is up to `share` of it longer or shorter, so that what failed together is not tried again together. */
export const jittered = (delay: number, share: number, random = Math.random()): number =>
  delay * (1 - share + 2 * share * random)
