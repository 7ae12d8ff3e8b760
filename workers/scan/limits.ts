import type { Limits } from './verdict.ts'

const mebibyte = 1024 ** 2

/** What an examination may use up where nobody says otherwise. */
export const usualLimits: Limits = {
  entries: 10_000,
  entrySize: 2 * 1024 * mebibyte,
  totalSize: 4 * 1024 * mebibyte,
  ratio: 100,
  ratioFloor: 10 * mebibyte,
  depth: 8,
  memory: 8 * mebibyte,
  scratch: 2 * 1024 * mebibyte,
}
