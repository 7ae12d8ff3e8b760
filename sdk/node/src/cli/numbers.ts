import { UsageError } from './usage-error.ts'

/** Returns the whole number of an option. Throws `UsageError` if it is outside the range. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
  fallback: number,
): number {
  if (text === undefined) return fallback
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}.`)
}

/** Returns a size, such as `1.5 MB`. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
