import { timingSafeEqual } from 'node:crypto'

/** Compares in constant time. The time reveals only the lengths. */
export function isEqualInConstantTime(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
