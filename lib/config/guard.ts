import { z } from 'zod'
import { concurrency } from './values.ts'

const puzzles = z.coerce.number().int().min(1).max(1_000_000)

export const guard = {
  GUARD_MINT_THREADS: concurrency
    .optional()
    .describe('Threads that create puzzles in one worker. Default: half of the cores.'),
  GUARD_STOCK_LOW: puzzles.default(50).describe('Minimum number of puzzles in stock'),
  GUARD_STOCK_HIGH: puzzles
    .default(6_000)
    .describe('Maximum number of puzzles in stock. The stock grows to the number used in the ten busiest minutes.'),
}
