import { z } from 'zod'
import { config } from '#lib/config.ts'
import { task } from '../queue/task.ts'
import { closeLost } from './rules/close-lost.ts'

/** Ends broadcasts of dead workers if no live worker is running that could do it. */
export const endLostBroadcasts = task({
  name: 'live/end-lost-broadcasts',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await closeLost(db, config.LIVE_RECONNECT_SECONDS)
  },
})
