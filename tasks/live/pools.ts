import { pool } from '../queue/pool.ts'
import type { MediaTools } from '../video/pools.ts'

/** Recordings of broadcasts; its workers take publishers in as well, whether it has jobs or not. */
export const live = pool<MediaTools>()('live', { fetchAhead: 0 })
