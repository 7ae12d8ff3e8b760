import type { Report } from './report.ts'

/** A measurement that `npm run bench` knows by name. */
export interface Benchmark {
  summary: string
  /** Its options, all of them numbers. */
  options: Record<string, { about: string; default: number }>
  /** Measures; what it starts is ended by `ends`, which is disposed of after it, and when the run is interrupted. */
  run(options: Record<string, number>, ends: AsyncDisposableStack): Promise<Report>
}

/** Thrown where a measurement cannot be made on this machine; the message says what it needs. */
export class CannotMeasure extends Error {
  override name = 'CannotMeasure'
}

/** The middle one of some figures, or the mean of the two in the middle. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) / 2
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2
}
