import { availableParallelism } from 'node:os'
import { config } from '#lib/config.ts'
import { enqueueRefill } from '#tasks/guard/refill.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createPuzzleMinter } from './minter.ts'

/** The pool that keeps guard's stock of puzzles. */
export const guard: PoolDeclaration<'guard'> = {
  // One refill uses all threads.
  concurrency: 1,
  share: { none: 'It creates puzzles for all organisations and waits for no job.' },
  lacks: async () => undefined,
  async tools({ db }) {
    // Visitors must not wait for the clock's first minute to be given scrypt puzzles.
    await enqueueRefill(db)
    return { minter: createPuzzleMinter(config.GUARD_MINT_THREADS ?? Math.max(1, availableParallelism() >> 1)) }
  },
}
