import { z } from 'zod'
import { config } from '#lib/config.ts'
import { task } from '../queue/task.ts'
import { closeLost } from './rules/close-lost.ts'

/** Ends the broadcasts of workers that died, when no live worker is there to do it. */
export const endLostBroadcasts = task({
  name: 'live/end-lost-broadcasts',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await closeLost(db, config.LIVE_RECONNECT_SECONDS)
  },
})
