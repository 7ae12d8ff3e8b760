import { pool } from '../queue/pool.ts'
import type { MediaTools } from '../video/pools.ts'

/** Recordings of broadcasts. Its workers also accept publishers, even without jobs. */
export const live = pool<MediaTools>()('live', { fetchAhead: 0 })
