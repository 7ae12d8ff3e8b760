import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as replies from '#sql/ai/replies.ts'
import { task } from '../queue/task.ts'

const batch = 500

/** Deletes the oldest cached responses of each organisation above `AI_CACHE_MOST`. */
export const trimReplies = task({
  name: 'ai/trim-replies',
  pool: 'core',
  payload: z.object({ most: z.int().optional() }),
  cron: '*/5 * * * *',
  timeout: 4 * 60_000,
  async run({ most = config.AI_CACHE_MOST }, { db, signal }) {
    for (const { org_id, over } of await replies.listOverLimit(db, most)) {
      for (let left = over; left > 0 && !signal.aborted; left -= batch) {
        if ((await replies.removeOldest(db, org_id, Math.min(left, batch))) === 0) break
      }
    }
  },
})
