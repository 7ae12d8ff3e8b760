import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { Scanner } from './engine.ts'

interface ScanTools {
  scanner: Scanner
  scratch: Pick<Scratch, 'attempt'>
  storage: Storage
}

export const scan = pool<ScanTools>()('scan', { fetchAhead: 0 })
