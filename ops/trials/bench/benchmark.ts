import type { Report } from './report.ts'

export interface Benchmark {
  summary: string
  options: Record<string, { about: string; default: number }>
  /** Meaning of the names after the benchmark's name. Without this text, the benchmark accepts no names. */
  names?: string
  /** Runs the measurement. `ends` is disposed of afterwards, even if the run is interrupted. */
  run(options: Record<string, number>, ends: AsyncDisposableStack, names: readonly string[]): Promise<Report>
}

/** Thrown if this machine cannot run a measurement. The message names the missing part. */
export class CannotMeasureError extends Error {
  override name = 'CannotMeasureError'
}

/** Thrown if an option or a name of a measurement is invalid. The message contains the change that is needed. */
export class InvalidOptionError extends Error {
  override name = 'InvalidOptionError'
}

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) / 2
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2
}
