import { pool } from '../queue/pool.ts'
import type { PuzzleMinter } from './engine.ts'

interface GuardTools {
  minter: PuzzleMinter
}

export const guard = pool<GuardTools>()('guard', { fetchAhead: 0 })
