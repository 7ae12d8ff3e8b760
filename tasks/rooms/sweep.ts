import { z } from 'zod'
import * as roomHosts from '#sql/rooms/hosts.ts'
import { task } from '../queue/task.ts'
import { endOverdue, leaveLost } from './rules/presence.ts'

/** Ends rooms that stay empty and notes who was lost with a worker, when no live worker is there to do it. */
export const sweepRooms = task({
  name: 'rooms/sweep',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction((tx) => leaveLost(tx))
    await db.transaction((tx) => endOverdue(tx))
    await roomHosts.forgetLapsed(db)
  },
})
