import { z } from 'zod'
import { concurrency } from './values.ts'

const puzzles = z.coerce.number().int().min(1).max(1_000_000)

/** What the guard area and pool read. */
export const guard = {
  GUARD_MINT_THREADS: concurrency
    .optional()
    .describe('threads that mint puzzles in one worker; default: half of the cores'),
  GUARD_STOCK_LOW: puzzles.default(50).describe('puzzles in stock while nobody asks for any'),
  GUARD_STOCK_HIGH: puzzles.default(6_000).describe('puzzles in stock at most: what ten busy minutes have used'),
}
