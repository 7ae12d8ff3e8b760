import type { Seal } from '#lib/seal.ts'
import { pool } from '../queue/pool.ts'
import type { StreamEngine } from './rules/streams/engine.ts'

interface StreamTools {
  engine: StreamEngine
  seal: Seal
}

export const streams = pool<StreamTools>()('streams', { fetchAhead: 0 })
