import { pool } from '../queue/pool.ts'
import type { MediaTools } from '../video/pools.ts'

/** Recordings of rooms. Its workers also hold rooms, even without jobs. */
export const rooms = pool<MediaTools>()('rooms', { fetchAhead: 0 })
