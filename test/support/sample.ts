/** True in `npm run test:deep`, where sweeps try every case. */
export const isWhole = process.env.SWEEP === 'whole'

/**
 * Returns every case in a deep run, otherwise every n-th one, beginning with `first`. Different values of `first` choose
 * different cases.
 */
export const sample = <T>(all: readonly T[], n: number, first = 0): T[] =>
  isWhole ? [...all] : all.filter((_, at) => at % n === first % n)
