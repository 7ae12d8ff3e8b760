import { z } from 'zod'
import { task } from '../queue/task.ts'
import { sweepRooms as sweep } from './rules/sweep-rooms.ts'

/**
 * Ends rooms that stay empty, and removes participants of dead workers, if no live worker is running that could do it.
 */
export const sweepRooms = task({
  name: 'rooms/sweep',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  run: (_, { db }) => sweep(db),
})
