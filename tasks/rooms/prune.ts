import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { task } from '../queue/task.ts'

/** Forgets ended rooms and those who were in them, in their time. */
export const pruneRooms = task({
  name: 'rooms/prune',
  pool: 'rooms',
  payload: z.object({}),
  cron: '17 3 * * *',
  async run(_, { db, signal }) {
    while ((await rooms.prune(db, config.ROOMS_RETENTION_DAYS)) > 0) signal.throwIfAborted()
  },
})
