import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as embeddings from '#sql/ai/embeddings.ts'
import { task } from '../queue/task.ts'

const batch = 5_000

/** Deletes the least recently used vectors of each organisation above `AI_EMBEDDINGS_MOST`. */
export const trimEmbeddings = task({
  name: 'ai/trim-embeddings',
  pool: 'core',
  payload: z.object({ most: z.int().optional() }),
  cron: '*/5 * * * *',
  timeout: 4 * 60_000,
  async run({ most = config.AI_EMBEDDINGS_MOST }, { db, signal }) {
    for (const { org_id, over } of await embeddings.listOverLimit(db, most)) {
      for (let left = over; left > 0 && !signal.aborted; left -= batch) {
        if ((await embeddings.removeOldest(db, org_id, Math.min(left, batch))) === 0) break
      }
    }
  },
})
