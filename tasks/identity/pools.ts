import { pool } from '../queue/pool.ts'
import type { FaceEngine } from './engine.ts'

interface FaceTools {
  faces: FaceEngine
}

/** Comparison of faces. */
export const identity = pool<FaceTools>()('identity', { fetchAhead: 0 })
