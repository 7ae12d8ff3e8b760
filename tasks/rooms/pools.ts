import { pool } from '../queue/pool.ts'
import type { MediaTools } from '../video/pools.ts'

/** Recordings of rooms; its workers hold rooms as well, whether it has jobs or not. */
export const rooms = pool<MediaTools>()('rooms', { fetchAhead: 0 })
