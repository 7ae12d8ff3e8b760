import { pool } from '../queue/pool.ts'
import type { CallControl } from './engine.ts'

interface CallTools {
  calls: CallControl
}

export const voice = pool<CallTools>()('voice', { fetchAhead: 0 })
