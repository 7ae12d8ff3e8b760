import { availableParallelism } from 'node:os'
import { config } from '#lib/config.ts'
import { enqueueRefill } from '#tasks/guard/refill.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createPuzzleMinter } from './minter.ts'

export const guard: PoolDeclaration<'guard'> = {
  // One refill job uses all threads.
  concurrency: 1,
  share: { none: 'It creates puzzles for all organisations and waits for no job.' },
  lacks: async () => undefined,
  async tools({ db }) {
    // Fills the stock of puzzles at the start, so that visitors get scrypt puzzles before the first scheduled run.
    await enqueueRefill(db)
    return { minter: createPuzzleMinter(config.GUARD_MINT_THREADS ?? Math.max(1, availableParallelism() >> 1)) }
  },
}
